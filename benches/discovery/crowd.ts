// Many clients: how quickly they are taken up, what they cost in memory, and how long until all have a change.
import { best, quantile, sidesOf } from "../apiserver/pair.ts"
import type { Row } from "../bench.ts"
import { atMost } from "../beside.ts"
import type { BenchCluster } from "./cluster.ts"
import { Fleet } from "./fleet.ts"
import { Side, type SideName } from "./sides.ts"
import { big, small } from "./stages.ts"

/** Theirs with its own limit of new streams; memory is that after forty changes. */
export async function thousandStreams(cluster: BenchCluster, peers: boolean): Promise<readonly Row[]> {
  const accepted: Record<SideName, number[]> = { ours: [], theirs: [] }
  const memory: Record<SideName, number[]> = { ours: [], theirs: [] }
  for (const name of sidesOf(peers)) {
    await using side = await Side.start(name, cluster)
    const started = performance.now()
    using fleet = await Fleet.connect(side, { count: 1_000, group: big })
    accepted[name].push((performance.now() - started) / 1000)
    await fleet.changes(cluster, 40)
    memory[name].push(side.memory())
  }
  return [
    atMost(0.05, "1,000 new streams accepted and answered, theirs with its defaults", "s", best(accepted)),
    atMost(0.15, "memory, 1,000 streams × 1,000 endpoints", "MB", best(memory)),
  ]
}

/** Until the server has every ACK: it keeps that for its debug pages. */
export async function twoThousandStreams(cluster: BenchCluster): Promise<readonly Row[]> {
  const rows: Row[] = []
  await using side = await Side.start("ours", cluster)
  for (const { group, goal } of [
    { group: small, goal: 0.5 },
    { group: big, goal: 0.9 },
  ]) {
    using fleet = await Fleet.connect(side, { count: 2_000, group })
    await fleet.changes(cluster, 3)
    const seconds: number[] = []
    for (let turn = 0; turn < 7; turn++) {
      const { acknowledged } = await fleet.change(cluster)
      await allAcked(side, 2_000)
      seconds.push((performance.now() - acknowledged) / 1000)
    }
    const ours = quantile(seconds, 0.5)
    const what = `change → ACK of the last of 2,000 streams, ${group.endpoints} endpoints, p50`
    rows.push({ what, ours, unit: "s", goal: `≤ ${goal} s`, met: ours <= goal })
  }
  return rows
}

async function allAcked({ http }: Side, streams: number): Promise<void> {
  for (;;) {
    const [newest] = (await (await fetch(`${http}/debug/changez`)).json()) as { acked: number; streams: number }[]
    if (newest !== undefined && newest.acked >= streams) return
  }
}
