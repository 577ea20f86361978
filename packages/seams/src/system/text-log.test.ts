import { expect, test } from "vitest"
import { VirtualClock } from "../clock/virtual-clock.ts"
import { PilothouseError } from "../errors/errors.ts"
import type { Log } from "../telemetry/log.ts"
import { textLog } from "./text-log.ts"

const circle: Record<string, unknown> = {}
circle.self = circle

const rows: Record<string, { write: (log: Log) => void; shows: string }> = {
  "a plain line": { write: (log) => log.info("started"), shows: "info  started\n" },
  "fields behind the message": { write: (log) => log.warn("slow", { key: "a/b", ms: 12 }), shows: "warn  slow key=a/b ms=12\n" },
  "text with spaces in quotes": { write: (log) => log.info("x", { reason: "no such pod" }), shows: 'info  x reason="no such pod"\n' },
  "text with a line break on one line": { write: (log) => log.info("x", { out: "a\nb" }), shows: 'info  x out="a\\nb"\n' },
  "an error by its messages": {
    write: (log) => log.error("x", { error: new PilothouseError("FILE", "cannot read", { cause: new Error("EACCES") }) }),
    shows: 'error x error="cannot read: EACCES"\n',
  },
  "what JSON cannot say, without throwing": {
    write: (log) => log.info("x", { circle, nothing: undefined, big: 1n }),
    shows: "info  x circle=[object] nothing=undefined big=1\n",
  },
  "fields of with() first": {
    write: (log) => log.with({ controller: "deployment" }).info("x", { key: "k" }),
    shows: "info  x controller=deployment key=k\n",
  },
  "nothing under the least level": { write: (log) => log.debug("x"), shows: "" },
}

test.each(Object.entries(rows))("shows %s", (_, { write, shows }) => {
  let text = ""
  write(
    textLog("info", (more) => {
      text += more
    }),
  )
  expect(text).toBe(shows)
})

test("had no time: with a clock, a line begins with the time of day that the clock says, and follows it", async () => {
  const texts: string[] = []
  const clock = new VirtualClock()
  const log = textLog("info", (text) => void texts.push(text), clock)
  log.info("started")
  await clock.advance(13 * 3_600_000 + 5 * 60_000 + 7_045)
  log.warn("slow", { ms: 12 })
  expect(texts).toEqual(["09:00:00.000 info  started\n", "22:05:07.045 warn  slow ms=12\n"])
})
