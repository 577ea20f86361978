import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { ReviewCache } from "./delegated-access.ts"

test("an answer is given for 10 s, or as long as the owner says", async () => {
  const clock = new VirtualClock()
  const [usual, long] = [new ReviewCache<boolean>(clock), new ReviewCache<boolean>(clock, 60_000)]
  for (const cache of [usual, long]) cache.keep("q", false)
  await clock.advance("9s")
  expect([usual.get("q"), long.get("q"), usual.get("other")]).toEqual([false, false, undefined])
  await clock.advance("1s")
  expect([usual.get("q"), long.get("q")]).toEqual([undefined, false])
})

test("no more than 1,000 answers are kept, and one that is given again is the newest", () => {
  const cache = new ReviewCache<number>(new VirtualClock())
  for (let question = 0; question < 1000; question++) cache.keep(`q${question}`, question)
  cache.keep("q0", 0)
  cache.keep("more", 1000)
  expect([cache.get("q0"), cache.get("q1"), cache.get("q2"), cache.get("more")]).toEqual([0, undefined, 2, 1000])
})
