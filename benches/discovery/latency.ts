// How long a change takes from the API server's answer to the writer until clients have it, and what it costs the server.
import { setTimeout as delay } from "node:timers/promises"
import { quantile, sidesOf } from "../apiserver/pair.ts"
import type { Row } from "../bench.ts"
import { atMost, type Numbers, withoutGoal } from "../beside.ts"
import type { BenchCluster } from "./cluster.ts"
import { Fleet } from "./fleet.ts"
import type { Group } from "./objects.ts"
import { Side, type SideName, type Tuning } from "./sides.ts"
import { big, neighbour, small } from "./stages.ts"

const groups = [small, big] as const
/** Changes that are measured for "1,000 changes": each costs the same. */
const cpuSample = 300
const warmUp = 20
const sample = 200
/** After so many more both are as quick as they get: a JIT compiler has seen what is called often. */
const warm = 600
const neighbourEvery = 40
/** Changes before those that count, and those. Ours is as warm as in the rows of one stream; theirs waits for quiet, so few have to do. */
const besideChanges = { ours: { before: warmUp + sample + warm, counted: sample }, theirs: { before: 1, counted: 3 } } as const

/** One client, with the settings that both have from the start. */
export async function defaults(cluster: BenchCluster, peers: boolean): Promise<readonly Row[]> {
  const found = await onEach(cluster, { peers, tuning: {} }, async (side) => {
    const each = new Map<Group, { latency: number; bytes: number }>()
    for (const group of groups) {
      using fleet = await Fleet.connect(side, { count: 1, group })
      await fleet.changes(cluster, side.name === "ours" ? warmUp : 2)
      each.set(group, { latency: middle(await fleet.changes(cluster, 40)), bytes: fleet.bytesPerEndpoint })
    }
    return each
  })
  return groups.flatMap((group) => [
    atMost(0.1, `change → EDS, 1 stream, ${group.endpoints} endpoints, theirs with its defaults, p50`, "ms", of(found, group, "latency")),
    withoutGoal(`bytes of a response for each endpoint, ${group.endpoints} endpoints`, "bytes", of(found, group, "bytes")),
  ])
}

export async function withoutDebounce(cluster: BenchCluster, peers: boolean): Promise<readonly Row[]> {
  const found = await onEach(cluster, { peers, tuning: { debounceOff: true, manyStreams: true } }, async (side) => {
    const each = new Map<Group, { one: number; early: number; hundred: number; cpu: number }>()
    for (const group of groups)
      each.set(group, { ...(await oneStream(cluster, side, group)), ...(await hundredStreams(cluster, side, group)) })
    return each
  })
  const goals = { one: [1, 0.6], hundred: [0.8, 0.5], cpu: [0.7, 0.4] } as const
  const words = {
    one: "change → EDS, 1 stream, theirs without debounce, p50",
    hundred: "change → EDS at the slowest of 100 streams, theirs without debounce, p50",
    cpu: "CPU for 1,000 changes × 100 streams",
  }
  const early = groups.map((group) =>
    withoutGoal(`the same, the first ${sample} changes after a start, ${group.endpoints} endpoints`, "ms", of(found, group, "early")),
  )
  const rows = (["one", "hundred", "cpu"] as const).map((key) =>
    groups.map((group, index) =>
      atMost(goals[key][index]!, `${words[key]}, ${group.endpoints} endpoints`, key === "cpu" ? "s" : "ms", of(found, group, key)),
    ),
  )
  return rows.toSpliced(1, 0, early).flat()
}

/** A Service that no client here watches changes all the time. */
export async function besideNeighbour(cluster: BenchCluster, peers: boolean): Promise<readonly Row[]> {
  const alone = await afterTheSame(cluster, "ours", () => undefined)
  const beside = await afterTheSame(cluster, "ours", () => changing(cluster, neighbour))
  const theirs = peers ? await afterTheSame(cluster, "theirs", () => changing(cluster, neighbour)) : undefined
  const what = "the same beside a Service that changes every 40 ms, theirs with its defaults, p50"
  const row = withoutGoal(what, "ms", { ours: beside, theirs })
  // A write of the neighbour's may just be on its way through the same process.
  return [{ ...row, goal: `as alone: ≤ 1.5 × ${alone.toPrecision(3)} ms`, met: beside <= alone * 1.5 }]
}

/** A server of its own for each answer, and as many changes before those that count: each is as warm for what is measured as the other. */
async function afterTheSame(cluster: BenchCluster, name: SideName, begin: () => AsyncDisposable | undefined): Promise<number> {
  const { before, counted } = besideChanges[name]
  await using side = await Side.start(name, cluster)
  using fleet = await Fleet.connect(side, { count: 1, group: small })
  await using _neighbour = begin()
  await fleet.changes(cluster, before)
  return middle(await fleet.changes(cluster, counted))
}

/** Twice: soon after the start, and when the server has done the same for a while. */
async function oneStream(cluster: BenchCluster, side: Side, group: Group): Promise<{ early: number; one: number }> {
  using fleet = await Fleet.connect(side, { count: 1, group })
  await fleet.changes(cluster, warmUp)
  const early = middle(await fleet.changes(cluster, sample))
  await fleet.changes(cluster, warm)
  return { early, one: middle(await fleet.changes(cluster, sample)) }
}

async function hundredStreams(cluster: BenchCluster, side: Side, group: Group): Promise<{ hundred: number; cpu: number }> {
  using fleet = await Fleet.connect(side, { count: 100, group })
  await fleet.changes(cluster, warmUp)
  const before = side.cpu()
  const times = await fleet.changes(cluster, cpuSample)
  return { hundred: middle(times), cpu: (side.cpu() - before) / cpuSample }
}

/** One after the other: never both at once. */
async function onEach<T>(
  cluster: BenchCluster,
  { peers, tuning }: { readonly peers: boolean; readonly tuning: Tuning },
  measure: (side: Side) => Promise<T>,
): Promise<OnEach<T>> {
  const found: Partial<Record<SideName, T>> = {}
  for (const name of sidesOf(peers)) {
    await using side = await Side.start(name, cluster, tuning)
    found[name] = await measure(side)
  }
  return found as OnEach<T>
}

interface OnEach<T> {
  readonly ours: T
  readonly theirs?: T
}

function of<Key extends string>({ ours, theirs }: OnEach<Map<Group, Record<Key, number>>>, group: Group, key: Key): Numbers {
  return { ours: ours.get(group)![key], theirs: theirs?.get(group)?.[key] }
}

function middle(times: readonly { readonly last: number }[]): number {
  return quantile(
    times.map(({ last }) => last),
    0.5,
  )
}

/** Until it is disposed of. */
function changing(cluster: BenchCluster, group: Group): AsyncDisposable {
  const stop = new AbortController()
  const run = async () => {
    for (let next = performance.now(); !stop.signal.aborted; next += neighbourEvery) {
      await cluster.change(group)
      // A write that took longer is not made up for.
      next = Math.max(next, performance.now() - neighbourEvery)
      await delay(Math.max(0, next + neighbourEvery - performance.now()))
    }
  }
  const running = run()
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await running
    },
  }
}
