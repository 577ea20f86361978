import { seededRandom } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { powerLossRounds } from "./power-loss.ts"

const seed = Number(process.env.PILOTHOUSE_SEED ?? 1)

test(`the power fails in the middle of any call, and the last frame is cut at every byte: nothing acknowledged is lost (seed ${seed})`, async () => {
  const round = powerLossRounds(seededRandom(seed))
  let [acknowledged, cuts, closes, erased] = [0, 0, 0, 0]
  for (let count = 0; count < 5; count++) {
    const result = await round()
    acknowledged += result.acknowledged
    cuts += result.cuts
    closes += result.closes
    erased += result.erased
  }
  expect(acknowledged).toBeGreaterThan(0)
  expect(cuts).toBeGreaterThan(0)
  expect(closes).toBeGreaterThan(0)
  expect(erased).toBeGreaterThan(0)
})

test("a disk that says too early that bytes are safe is found out", async () => {
  const round = powerLossRounds(seededRandom(seed), { lies: true })
  const rounds = async () => {
    for (let count = 0; count < 15; count++) await round()
  }
  await expect(rounds()).rejects.toThrow(/lost|damaged|watcher/)
})
