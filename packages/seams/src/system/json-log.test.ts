import { expect, test } from "vitest"
import { PilothouseError } from "../errors.ts"
import type { Log, LogLevel } from "../log.ts"
import { jsonLog } from "./json-log.ts"

function lines(write: (log: Log) => void, least?: LogLevel): readonly Record<string, unknown>[] {
  const texts: string[] = []
  write(jsonLog(least, { write: (text: string) => void texts.push(text) }))
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
  "what JSON cannot say, without throwing": { write: (log) => log.info("x", { circle, big: 1n }), shows: { message: "x" } },
}

test.each(Object.entries(rows))("writes %s", (_, { write, shows }) => {
  expect(lines(write)).toEqual([expect.objectContaining(shows)])
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
