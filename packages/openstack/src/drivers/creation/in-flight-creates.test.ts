import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { InFlightCreates } from "./in-flight-creates.ts"

function stage() {
  const clock = new VirtualClock()
  const creates = new InFlightCreates(clock, 40_000)
  const reported = (uid: string) => {
    const error = creates.of(uid)
    return error && [error.message, error.after]
  }
  return { clock, creates, told: reported }
}

test("refuses another create with the first error and a time to retry; allows one after the grace period", async () => {
  const { clock, creates, told: reported } = stage()
  creates.add(["web", "db"], new Error("no answer"))
  expect([reported("web"), reported("db"), reported("other")]).toEqual([["no answer", 10_000], ["no answer", 10_000], undefined])
  await clock.advance("35s")
  expect(reported("web")).toEqual(["no answer", 5000])
  await clock.advance("5s")
  expect(reported("web")).toBeUndefined()
})

test("an answer ends it for all of the call, one that is found for itself", () => {
  const { creates, told: reported } = stage()
  const answered = creates.add(["web", "db"], new Error("no answer"))
  creates.found("db")
  expect([reported("web"), reported("db")]).toEqual([["no answer", 10_000], undefined])
  answered()
  expect(reported("web")).toBeUndefined()
})

test("of two calls for one the later counts: the answer to the first ends nothing", async () => {
  const { clock, creates, told: reported } = stage()
  const first = creates.add(["web"], new Error("the first"))
  await clock.advance("40s")
  creates.add(["web"], new Error("the second"))
  first()
  expect(reported("web")).toEqual(["the second", 10_000])
})
