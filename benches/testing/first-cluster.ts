// A process that imports @pilothouse/testing and makes clusters: node first-cluster.ts '{"controllers":["deployment"]}' → prints its times as JSON, in milliseconds.
import type { ClusterOptions } from "@pilothouse/testing"

export interface FirstCluster {
  readonly imported: number
  /** From there on: the cluster is made. */
  readonly made: number
  /** The controllers have started and nothing is left to do. */
  readonly settled: number
  /** A Deployment of three is ready. */
  readonly ready: number
  /** The same of a second cluster. */
  readonly second: Pick<FirstCluster, "made" | "settled" | "ready">
}

const options: ClusterOptions = JSON.parse(process.argv[2] ?? "{}")
const started = performance.now()
const { cluster } = await import("@pilothouse/testing")
const { deployments } = await import("@pilothouse/api/apps/v1")
const imported = performance.now() - started

const labels = { app: "web" }
const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 3,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
  },
}

const first = await once()
const times: FirstCluster = { imported, ...first, second: await once() }
console.log(JSON.stringify(times))

async function once(): Promise<FirstCluster["second"]> {
  const asked = performance.now()
  await using made = await cluster(options)
  const there = performance.now()
  await made.settled()
  const settled = performance.now()
  await made.apply(web)
  await made.until(async () => (await made.client.get(deployments, "default/web")).status?.readyReplicas === 3)
  return { made: there - asked, settled: settled - asked, ready: performance.now() - asked }
}
