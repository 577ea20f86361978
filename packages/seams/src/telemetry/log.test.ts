import { expect, test } from "vitest"
import { type LogLine, logTo, recordingLog, silentLog } from "./log.ts"

test("a recording log keeps level, message and fields", () => {
  const { log, lines } = recordingLog()
  log.debug("a")
  log.info("b", { x: 1 })
  log.warn("c")
  log.error("d")
  expect(lines).toEqual([
    { level: "debug", message: "a", fields: {} },
    { level: "info", message: "b", fields: { x: 1 } },
    { level: "warn", message: "c", fields: {} },
    { level: "error", message: "d", fields: {} },
  ])
})

test("with adds fields to every line, the nearest wins, and the log it came from stays as it was", () => {
  const { log, lines } = recordingLog()
  const near = log.with({ controller: "job", key: "a" }).with({ key: "b" })
  near.info("x", { attempt: 2 })
  near.info("y", { key: "c" })
  log.info("z")
  expect(lines.map(({ fields }) => fields)).toEqual([{ controller: "job", key: "b", attempt: 2 }, { controller: "job", key: "c" }, {}])
})

test("the silent log takes everything", () => {
  silentLog.with({ a: 1 }).error("x", { b: 2 })
})

test("fields are read for lines that are shown, and for no others", () => {
  const [lines, read]: [LogLine[], string[]] = [[], []]
  const log = logTo((line) => void lines.push(line), "warn").with({ controller: "deployment" })
  const fields = (level: string) => ({
    get plan() {
      read.push(level)
      return level
    },
  })
  log.debug("x", fields("debug"))
  log.info("x", fields("info"))
  log.warn("x", fields("warn"))
  log.error("x", fields("error"))
  expect(read).toEqual(["warn", "error"])
  expect(lines.map(({ fields: shown }) => shown)).toEqual([
    { controller: "deployment", plan: "warn" },
    { controller: "deployment", plan: "error" },
  ])
})
