import { setTimeout as delay } from "node:timers/promises"
import { atMost, least, medians, type Numbers, withoutGoal } from "../apiserver/pair.ts"
import type { Row } from "../bench.ts"
import type { BenchCluster } from "./cluster.ts"
import { Side, type SideName } from "./sides.ts"

const sides = ["ours", "theirs"] as const
/** After which memory is read: both have then done what they do after a start. */
const settle = 4_000

/** How long a server takes to be ready, what that costs, and how much memory it then has. The first start of each is not counted. */
export async function starts(cluster: BenchCluster, what: string, memoryGoal: number, rounds: number): Promise<readonly Row[]> {
  const [ready, cpu]: Record<SideName, number[]>[] = [
    { ours: [], theirs: [] },
    { ours: [], theirs: [] },
  ]
  const memory: Record<SideName, number> = { ours: 0, theirs: 0 }
  for (let round = 0; round <= rounds; round++) {
    for (const name of sides) {
      await using side = await Side.start(name, cluster)
      if (round === 0) continue
      ready![name].push(side.readyAfter)
      cpu![name].push(side.cpu())
      if (round < rounds) continue
      await delay(settle)
      memory[name] = side.memory()
    }
  }
  return [
    atMost(1, `start to ready, ${what}`, "ms", medians(ready!)),
    withoutGoal(`CPU until then, ${what}`, "ms", least(cpu!)),
    atMost(memoryGoal, `memory, ${what}`, "MB", memory satisfies Numbers),
  ]
}
