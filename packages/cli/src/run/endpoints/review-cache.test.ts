import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { KeptAnswers } from "./review-cache.ts"

test("an answer is given for 10 s, or as long as the owner says", async () => {
  const clock = new VirtualClock()
  const [usual, long] = [new KeptAnswers<boolean>(clock), new KeptAnswers<boolean>(clock, 60_000)]
  for (const kept of [usual, long]) kept.keep("q", false)
  await clock.advance("9s")
  expect([usual.get("q"), long.get("q"), usual.get("other")]).toEqual([false, false, undefined])
  await clock.advance("1s")
  expect([usual.get("q"), long.get("q")]).toEqual([undefined, false])
})

test("no more than 1,000 answers are kept, and one that is given again is the newest", () => {
  const kept = new KeptAnswers<number>(new VirtualClock())
  for (let question = 0; question < 1000; question++) kept.keep(`q${question}`, question)
  kept.keep("q0", 0)
  kept.keep("more", 1000)
  expect([kept.get("q0"), kept.get("q1"), kept.get("q2"), kept.get("more")]).toEqual([0, undefined, 2, 1000])
})
