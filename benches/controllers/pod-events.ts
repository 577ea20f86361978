import type { Bench, Row } from "../bench.ts"
import { type CrowdedCluster, cacheAlone, crowdedCluster } from "./crowded-cluster.ts"
import { lowerQuartiles } from "./in-turn.ts"

const sizes = [1000, 10_000, 50_000]
const goal = 1.2
const events = 100
const rounds = 120
/** Rounds until the compiler has done its work: 3,000 events of each size. */
const warmUp = 30

/** The loops that pods wake, and before them what they all stand on. */
const loops = [
  cacheAlone,
  "replicaset",
  "replicationcontroller",
  "statefulset",
  "daemonset",
  "job",
  "endpoints",
  "endpointslice",
  "disruption",
  "podgc",
  "taint-eviction-controller",
  "nodelifecycle",
  "namespace",
  "resourcequota",
  "garbagecollector",
]

/** What does an event of one pod cost a loop, with 1,000, 10,000 and 50,000 pods in the cluster? */
export const benches: readonly Bench[] = loops.map((loop) => ({ name: `pod event: ${loop}`, run: () => costOf(loop) }))

/** All sizes in turn, so that a machine that is busy for a while disturbs all of them. */
async function costOf(loop: string): Promise<readonly Row[]> {
  const clusters: CrowdedCluster[] = []
  for (const size of sizes) clusters.push(await crowdedCluster(size, loop))
  const works = clusters.map((one) => () => one.podEvents(events))
  const taken = await lowerQuartiles(rounds, warmUp, works)
  for (const one of clusters) await one[Symbol.asyncDispose]()
  const costs = taken.map((milliseconds) => (milliseconds * 1000) / events)
  const ratio = costs.at(-1)! / costs[0]!
  return sizes.map((size, at): Row => {
    const what = `${loop}: one pod event, ${size.toLocaleString("en")} pods`
    const row = { what, ours: costs[at]!, unit: "µs of CPU" }
    return at === sizes.length - 1 ? { ...row, ratio, goal: `<= ${goal} × the first`, met: ratio <= goal } : row
  })
}
