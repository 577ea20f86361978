import { seededRandom } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { fuzzer } from "./fuzzer.ts"
import { webhookAnswersFuzzer } from "./webhook-answers.ts"

// The whole of it: npm run soak -- fuzz --requests 100000
test("3,000 bad requests: always an answer, never a fault of the server", async () => {
  const next = fuzzer(seededRandom(6))
  const faults: string[] = []
  for (let count = 0; count < 3000; count++) {
    const fault = await next()
    if (fault !== undefined) faults.push(fault)
  }
  expect(faults.slice(0, 5)).toEqual([])
})

test("500 bad answers of webhooks: always an answer, never a fault of the server", async () => {
  const next = await webhookAnswersFuzzer(seededRandom(6))
  const faults: string[] = []
  for (let count = 0; count < 500; count++) {
    const fault = await next()
    if (fault !== undefined) faults.push(fault)
  }
  expect(faults.slice(0, 5)).toEqual([])
})
