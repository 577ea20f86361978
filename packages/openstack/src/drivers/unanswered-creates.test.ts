import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { UnansweredCreates } from "./unanswered-creates.ts"

function stage() {
  const clock = new VirtualClock()
  const creates = new UnansweredCreates(clock, 40_000)
  const told = (uid: string) => {
    const error = creates.of(uid)
    return error && [error.message, error.after]
  }
  return { clock, creates, told }
}

test("who was asked for is told why no other may be, and when to look again; after its time another may", async () => {
  const { clock, creates, told } = stage()
  creates.add(["web", "db"], new Error("no answer"))
  expect([told("web"), told("db"), told("other")]).toEqual([["no answer", 10_000], ["no answer", 10_000], undefined])
  await clock.advance("35s")
  expect(told("web")).toEqual(["no answer", 5000])
  await clock.advance("5s")
  expect(told("web")).toBeUndefined()
})

test("an answer ends it for all of the call, one that is found for itself", () => {
  const { creates, told } = stage()
  const answered = creates.add(["web", "db"], new Error("no answer"))
  creates.found("db")
  expect([told("web"), told("db")]).toEqual([["no answer", 10_000], undefined])
  answered()
  expect(told("web")).toBeUndefined()
})

test("of two calls for one the later counts: the answer to the first ends nothing", async () => {
  const { clock, creates, told } = stage()
  const first = creates.add(["web"], new Error("the first"))
  await clock.advance("40s")
  creates.add(["web"], new Error("the second"))
  first()
  expect(told("web")).toEqual(["the second", 10_000])
})
