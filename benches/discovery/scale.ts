// What a change costs us with more Services around it, and by either protocol.
import type { Row } from "../bench.ts"
import { atMost, withoutGoal } from "../beside.ts"
import type { BenchCluster } from "./cluster.ts"
import { Fleet } from "./fleet.ts"
import { Side } from "./sides.ts"
import { big, few, type Stages, small } from "./stages.ts"

const counted = 300
const rounds = 2

/** One client as Envoy is one, with every cluster and the endpoints of a hundred. The least of some rounds: a rebuilt cache of the machine's is not ours. */
export async function moreServices(stages: Stages): Promise<readonly Row[]> {
  const cost = async (cluster: BenchCluster) => {
    await using side = await Side.start("ours", cluster)
    using fleet = await Fleet.connect(side, { count: 1, group: small, others: few, clusters: true })
    await fleet.changes(cluster, 300)
    const found: number[] = []
    for (let round = 0; round < rounds; round++) {
      const before = side.cpu()
      await fleet.changes(cluster, counted)
      found.push((side.cpu() - before) / counted)
    }
    return Math.min(...found)
  }
  const hundred = await cost(await stages.hundred())
  const thousands = await cost(await stages.fiveThousand())
  return [atMost(1.2, "CPU of one change at 5,000 Services (theirs: ours at 100)", "ms", { ours: thousands, theirs: hundred })]
}

export async function protocols(cluster: BenchCluster): Promise<readonly Row[]> {
  const cost = async (delta: boolean) => {
    await using side = await Side.start("ours", cluster)
    using fleet = await Fleet.connect(side, { count: 10, group: big, delta })
    await fleet.changes(cluster, 50)
    const [cpu, bytes] = [side.cpu(), fleet.bytes]
    await fleet.changes(cluster, counted)
    return { cpu: (side.cpu() - cpu) / counted, bytes: (fleet.bytes - bytes) / counted / 1e3 }
  }
  const sotw = await cost(false)
  const delta = await cost(true)
  const row = (what: string, unit: string, key: "cpu" | "bytes") =>
    withoutGoal(`${what}, delta (theirs: our state of the world)`, unit, { ours: delta[key], theirs: sotw[key] })
  return [
    row("CPU of a change, 10 streams × 1,000 endpoints", "ms", "cpu"),
    row("bytes of a change for one client, 1,000 endpoints", "kB", "bytes"),
  ]
}
