import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { seededRandom } from "@pilothouse/seams"
import { afterAll, test } from "vitest"
import { crashRounds } from "./rounds.ts"

const folder = mkdtempSync(join(tmpdir(), "pilothouse-crash-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
// As property tests have it: where the writer is killed differs from run to run all the same.
const seed = Number(process.env.PILOTHOUSE_SEED ?? 1)

test(`kill -9 again and again: nothing acknowledged is lost, nothing comes twice (npm run soak -- crash --seed ${seed})`, async () => {
  const round = crashRounds(join(folder, "storage"), seededRandom(seed), 500)
  for (let count = 0; count < 3; count++) await round()
})
