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
  watchers.notify(change)
  watchers.notify(change)
  watching[Symbol.dispose]()
  expect(lines).toMatchObject([{ level: "error", fields: { prefix: "/a/", key: "/a/1", revision: 1, error: "a printer failed" } }])
})

test("a sink that has thrown is still told what is forgotten: it may keep what it was shown before", () => {
  const { log } = recordingLog()
  const watchers = new Watchers(log)
  const told: number[] = []
  const fails = () => {
    throw new Error("a printer failed")
  }
  const watching = watchers.add("/a/", fails, (compacted) => void told.push(compacted))
  watchers.notify(change)
  watchers.notifyForgotten(1)
  watching[Symbol.dispose]()
  watchers.notifyForgotten(2)
  expect(told).toEqual([1])
})

test("one that throws when notified of a compaction is logged once and ended, and the others are notified", () => {
  const { log, lines } = recordingLog()
  const watchers = new Watchers(log)
  const told: string[] = []
  const fails = () => {
    throw new Error("a log failed")
  }
  watchers.add("/a/", () => void told.push("first"), fails)
  watchers.add(
    "/a/",
    () => void told.push("second"),
    (compacted) => void told.push(`second without ${compacted}`),
  )
  watchers.notifyForgotten(1)
  watchers.notifyForgotten(2)
  watchers.notify(change)
  expect(told).toEqual(["second without 1", "second without 2", "second"])
  expect(lines).toMatchObject([{ level: "error", fields: { prefix: "/a/", compacted: 1, error: "a log failed" } }])
})
