import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { powerLossRounds } from "./crash/power-loss.ts"
import { crashRounds } from "./crash/rounds.ts"
import { twoNamespaces, withoutNamespaces } from "./crash/two-namespaces.ts"
import type { SoakContext } from "./soak.ts"

/** Lines that the writer says; about a second. */
const maxLife = 5000
/** One in so many rounds starts clusters in two PID namespaces, which takes seconds. */
const namespacesEvery = 50

/**
 * As many rounds as are asked for of each: a writer at full speed, killed at a random moment, its last frame cut; a disk whose power fails in the middle of a
 * call, the last frame cut at every byte; and now and then two processes in two PID namespaces on one directory. After a failure the files are kept.
 */
export async function soak({ random, number, print, passed, failed }: SoakContext): Promise<void> {
  const rounds = number("rounds", 200)
  const folder = mkdtempSync(join(tmpdir(), "pilothouse-crash-"))
  const kill = crashRounds(join(folder, "storage"), random, maxLife)
  const losePower = powerLossRounds(random)
  const reason = withoutNamespaces()
  if (reason !== undefined) print(`SKIPPED two PID namespaces on one directory: ${reason}`)
  const told = { acknowledged: 0, powerLosses: 0, closes: 0, erased: 0, cuts: 0, namespaces: 0 }
  for (let count = 1; count <= rounds; count++) {
    try {
      told.acknowledged += (await kill()).acknowledged
      const { acknowledged, closes, erased, cuts } = await losePower()
      told.powerLosses += acknowledged
      told.closes += closes
      told.erased += erased
      told.cuts += cuts
      if (reason === undefined && count % namespacesEvery === 1) told.namespaces += await twoNamespaces(join(folder, `data-${count}`))
      passed()
      if (count % 10 === 0 || count === rounds)
        print(
          `round ${count}: ${told.acknowledged} writes acknowledged before kill -9, ${told.powerLosses} before a power failure (${told.closes} orderly ends, ${told.erased} values of Secrets erased), ${told.cuts} bytes cut at, ${told.namespaces} writes beside a second process`,
        )
    } catch (error) {
      failed(`round ${count}: ${error instanceof Error ? error.message : error}; the files are in ${folder}`)
      return
    }
  }
  rmSync(folder, { recursive: true, force: true })
}
