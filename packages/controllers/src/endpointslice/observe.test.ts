import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import { expect, test } from "vitest"
import { withLists } from "./observe.ts"

/** As kube-apiserver has it on the wire. */
const fromServer = (text: string): EndpointSlice => JSON.parse(text)

test.each<[name: string, text: string, endpoints: number, ports: number]>([
  ["a list that kube-apiserver wrote as null is empty", '{"endpoints":null,"ports":null}', 0, 0],
  ["one that is left out too", "{}", 0, 0],
  ["the others stay", '{"endpoints":[{"addresses":["10.0.0.1"]}],"ports":null}', 1, 0],
])("%s", (_name, text, endpoints, ports) => {
  const slice = withLists(fromServer(text))
  expect([slice.endpoints?.length, slice.ports?.length]).toEqual([endpoints, ports])
})

test("a slice with both lists stays the same object", () => {
  const slice = fromServer('{"endpoints":[],"ports":[]}')
  expect(withLists(slice)).toBe(slice)
})
