import type { Bench, Row } from "../bench.ts"
import { cpuOf } from "../runtime/sample-pods.ts"
import { type CrowdedCluster, cacheAlone, crowdedCluster } from "./crowded-cluster.ts"

const sizes = [1000, 10_000, 50_000]
const goal = 1.2
const events = 100
const tries = 60

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
export const bench: Bench = {
  name: "pod event",
  async run(): Promise<readonly Row[]> {
    const rows: Row[] = []
    for (const loop of loops) rows.push(...(await costOf(loop)))
    return rows
  },
}

/** All sizes in turn, so that a machine that is busy for a while disturbs all of them. */
async function costOf(loop: string): Promise<readonly Row[]> {
  const clusters: CrowdedCluster[] = []
  for (const size of sizes) clusters.push(await crowdedCluster(size, loop))
  // Once for the compiler.
  for (const one of clusters) await one.podEvents(events)
  const works = Object.fromEntries(clusters.map((one, at) => [String(sizes[at]), () => one.podEvents(events)]))
  const least = await cpuOf(tries, works)
  for (const one of clusters) await one[Symbol.asyncDispose]()
  const costs = sizes.map((size) => (least[String(size)]! * 1000) / events)
  const ratio = costs.at(-1)! / costs[0]!
  return sizes.map((size, at): Row => {
    const what = `${loop}: one pod event, ${size.toLocaleString("en")} pods`
    const row = { what, ours: costs[at]!, unit: "µs of CPU" }
    return at === sizes.length - 1 ? { ...row, ratio, goal: `<= ${goal} × the first`, met: ratio <= goal } : row
  })
}
