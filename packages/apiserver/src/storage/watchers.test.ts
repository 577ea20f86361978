import { recordingLog } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { Watchers } from "./watchers.ts"

const change = {
  type: "put",
  key: "/a/1",
  revision: 1,
  value: { apiVersion: "v1", kind: "ConfigMap", metadata: {} },
  previous: undefined,
} as const

test("a sink that throws is logged once, and its watch can still be disposed of", () => {
  const { log, lines } = recordingLog()
  const watchers = new Watchers(log)
  const watching = watchers.add("/a/", () => {
    throw new Error("a printer failed")
  })
  watchers.tell(change)
  watchers.tell(change)
  watching[Symbol.dispose]()
  expect(lines).toMatchObject([{ level: "error", fields: { prefix: "/a/", key: "/a/1", revision: 1, error: "a printer failed" } }])
})
