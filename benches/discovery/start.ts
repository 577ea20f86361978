import { setTimeout as delay } from "node:timers/promises"
import { medians, min, sidesOf } from "../apiserver/pair.ts"
import type { Row } from "../bench.ts"
import { atMost, withoutGoal } from "../beside.ts"
import type { BenchCluster } from "./cluster.ts"
import { Side, type SideName } from "./sides.ts"

/** After which memory is read: both have then done what they do after a start. */
const settle = 4_000

interface StartsOptions {
  readonly what: string
  readonly memoryGoal: number
  readonly rounds: number
  readonly peers: boolean
}

/** How long a server takes to be ready, what that costs, and how much memory it then has. The first start of each is not counted. */
export async function starts(cluster: BenchCluster, { what, memoryGoal, rounds, peers }: StartsOptions): Promise<readonly Row[]> {
  const [ready, cpu]: Record<SideName, number[]>[] = [
    { ours: [], theirs: [] },
    { ours: [], theirs: [] },
  ]
  const memory: Record<SideName, number[]> = { ours: [], theirs: [] }
  for (let round = 0; round <= rounds; round++) {
    for (const name of sidesOf(peers)) {
      await using side = await Side.start(name, cluster)
      if (round === 0) continue
      ready![name].push(side.readyAfter)
      cpu![name].push(side.cpu())
      if (round < rounds) continue
      await delay(settle)
      memory[name].push(side.memory())
    }
  }
  return [
    atMost(1, `start to ready, ${what}`, "ms", medians(ready!)),
    withoutGoal(`CPU until then, ${what}`, "ms", min(cpu!)),
    atMost(memoryGoal, `memory, ${what}`, "MB", min(memory)),
  ]
}
