import { expect, test } from "vitest"
import { uriNames } from "./grpc-edge.ts"

const id = "spiffe://cluster.local/ns/shop/sa/client"

test.each([
  ["none at all", "", []],
  ["others only", "DNS:a.example, IP Address:10.0.0.1", []],
  ["one", `URI:${id}`, [id]],
  ["several among others", `DNS:a, URI:${id}, IP Address:fd00:0:0:0:0:0:0:1, URI:urn:x`, [id, "urn:x"]],
  ["one with a comma in it, as JSON", `URI:"urn:a, b", DNS:x`, ["urn:a, b"]],
  ["another name that only looks like one", `DNS:"x, URI:${id}, y"`, []],
  ["the same, with quotes in it", `DNS:"x\\", URI:${id}, \\"y"`, []],
  ["what cannot be read", `DNS:"x, URI:${id}`, []],
])("%s: %s", (_title, text, uris) => {
  expect(uriNames(text)).toEqual(uris)
})
