import { type Transport, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { serverTime } from "./server-time.ts"

const start = Date.parse("2026-01-05T09:00:00Z")
const behind = 'the clock of this machine is 5m behind the server\'s, which is used for the times here; "pilothouse doctor" says what to do'

test.each<[name: string, date: string | undefined, now: number, note: string | undefined]>([
  ["a clock that agrees", "Mon, 05 Jan 2026 09:00:03 GMT", start, undefined],
  ["one that is behind made what was just done negative, and waits too long", "Mon, 05 Jan 2026 09:05:00 GMT", start + 300_000, behind],
  ["one that is ahead made everything old", "Mon, 05 Jan 2026 08:55:00 GMT", start - 300_000, behind.replace("behind", "ahead of")],
  ["a server that does not say", undefined, start, undefined],
  ["one that says nonsense", "tomorrow", start, undefined],
])("%s", async (_name, date, now, note) => {
  const headers: Record<string, string> = date === undefined ? {} : { date }
  const transport: Transport = async () => ({ status: 200, headers, body: { type: "value", value: {} } })
  expect(await serverTime(transport, new VirtualClock({ start }))).toEqual({ now, ...(note !== undefined && { note }) })
})

test("a server that does not answer is not complained of twice", async () => {
  const gone: Transport = async () => Promise.reject(new Error("gone"))
  expect(await serverTime(gone, new VirtualClock({ start }))).toEqual({ now: start })
})
