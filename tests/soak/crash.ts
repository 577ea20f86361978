import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { crashRounds } from "./crash/rounds.ts"
import type { SoakContext } from "./soak.ts"

/** Lines that the writer says; about a second. */
const longestLife = 5000

/** A writer at full speed, killed at a random moment, as many times as there are rounds. After a failure the files are kept. */
export async function soak({ random, number, print, passed, failed }: SoakContext): Promise<void> {
  const rounds = number("rounds", 200)
  const folder = mkdtempSync(join(tmpdir(), "pilothouse-crash-"))
  const round = crashRounds(join(folder, "storage"), random, longestLife)
  let acknowledged = 0
  for (let count = 1; count <= rounds; count++) {
    try {
      const result = await round()
      acknowledged += result.acknowledged
      passed()
      if (count % 10 === 0 || count === rounds)
        print(`round ${count}: ${acknowledged} acknowledged writes so far, revision ${result.revision}`)
    } catch (error) {
      failed(`round ${count}: ${error instanceof Error ? error.message : error}; the files are in ${folder}`)
      return
    }
  }
  rmSync(folder, { recursive: true, force: true })
}
