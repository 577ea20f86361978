import { expect, test } from "vitest"
import { PilothouseError } from "../errors/errors.ts"
import type { Log, LogLevel } from "../telemetry/log.ts"
import { jsonLog } from "./json-log.ts"

function lines(write: (log: Log) => void, minLevel?: LogLevel): readonly Record<string, unknown>[] {
  const texts: string[] = []
  write(jsonLog(minLevel, { write: (text: string) => void texts.push(text) }))
  return texts.map((text) => JSON.parse(text))
}

const circle: Record<string, unknown> = {}
circle.self = circle

const rows: Record<string, { write: (log: Log) => void; shows: Record<string, unknown> }> = {
  "level and message": { write: (log) => log.warn("slow"), shows: { level: "warn", message: "slow" } },
  "fields beside them": { write: (log) => log.info("x", { key: "a/b", ms: 12 }), shows: { key: "a/b", ms: 12 } },
  "fields of with()": { write: (log) => log.with({ controller: "job" }).info("x", { key: "k" }), shows: { controller: "job", key: "k" } },
  "an error with its causes and its code": {
    write: (log) => log.error("x", { error: new PilothouseError("FILE", "cannot read", { cause: new Error("EACCES") }) }),
    shows: { error: expect.objectContaining({ message: "cannot read: EACCES", code: "FILE", stack: expect.any(String) }) },
  },
  "what JSON cannot say, without throwing": {
    write: (log) => log.info("x", { circle, big: 1n }),
    shows: { message: "x", circle: "[object]", big: 1 },
  },
  "when and where": { write: (log) => log.info("x"), shows: { time: expect.any(Number), pid: process.pid, hostname: expect.any(String) } },
}

test.each(Object.entries(rows))("writes %s", (_, { write, shows }) => {
  expect(lines(write)).toEqual([expect.objectContaining(shows)])
})

test("writes one line, in the order that collectors are used to", () => {
  const texts: string[] = []
  jsonLog("info", { write: (text: string) => void texts.push(text) }).info("two\nlines", { key: "k", absent: undefined })
  expect(texts).toHaveLength(1)
  expect(texts[0]).toMatch(/^\{"level":"info","time":\d+,"pid":\d+,"hostname":"[^"]*","key":"k","message":"two\\nlines"\}\n$/)
})

test("says nothing under the least level", () => {
  const write = (log: Log) => {
    log.debug("a")
    log.info("b")
    log.warn("c")
  }
  expect(lines(write, "warn").map(({ message }) => message)).toEqual(["c"])
  expect(lines(write, "debug")).toHaveLength(3)
})
