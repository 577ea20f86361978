import type { KubeObject } from "@pilothouse/api"
import { deployments } from "@pilothouse/api/apps/v1"
import { namespaces } from "@pilothouse/api/core/v1"
import { queryValue, type Transport, type TransportRequest } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"

const namespace = "shop"

interface Calls {
  readonly writes: string[]
  readonly reads: string[]
}

/** Calls of the scheduler and the kubelets, of leader election, and events for users: no part of what a controller needs to reach a state. */
const notOfControllers = /\/(binding|nodes(\/[^/]+)?(\/status)?|leases(\/[^/]+)?|events(\/[^/]+)?|pods\/[^/]+\/status)$/

function counting(calls: Calls): (inner: Transport) => Transport {
  return (inner) => (request) => {
    note(request, calls)
    return inner(request)
  }
}

function note({ verb, path, query, body }: TransportRequest, { writes, reads }: Calls): void {
  if (notOfControllers.test(path) || !path.includes(`/${namespace}`)) return
  if (verb === "GET") {
    if (queryValue(query, "watch") !== "true") reads.push(path)
    return
  }
  // A kubelet deletes a pod for good without a grace period.
  const options = body?.type === "value" ? (body.value as { readonly gracePeriodSeconds?: number } | undefined) : undefined
  if (verb === "DELETE" && options?.gracePeriodSeconds === 0) return
  writes.push(`${verb} ${path}`)
}

function of(apiVersion: string, kind: string, name: string, spec: object): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace }, spec } as KubeObject
}

function web(image = 1) {
  return { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: `example/web:${image}` }] } }
}

const selector = { matchLabels: { app: "web" } }
const job = { restartPolicy: "Never", containers: [{ name: "job", image: "example/job:1" }] }

interface Row {
  readonly name: string
  act(running: Cluster): Promise<unknown>
  /** What the real controller manager writes for the same, as the real API server's audit log has it (docs/writes.md). */
  readonly upstream: number
  readonly reads?: number
}

/** The scenarios of `npm run test:real -- calls`, each going on where the one before it ended. */
const rows: readonly Row[] = [
  {
    name: "a namespace is made",
    act: (running) => running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }),
    upstream: 2,
  },
  {
    name: "a Deployment of 3 is made",
    act: (running) => running.apply(of("apps/v1", "Deployment", "web", { replicas: 3, selector, template: web() })),
    upstream: 14,
  },
  {
    name: "the Deployment gets a new image",
    act: (running) => running.client.patch(deployments, `${namespace}/web`, { spec: { template: web(2) } }),
    upstream: 39,
  },
  {
    name: "the Deployment is scaled to 5",
    act: (running) => running.client.patch(deployments, `${namespace}/web`, { spec: { replicas: 5 } }),
    upstream: 12,
  },
  {
    name: "a Service selects its 5 pods",
    act: (running) => running.apply(of("v1", "Service", "web", { selector: { app: "web" }, ports: [{ port: 80 }] })),
    upstream: 2,
  },
  {
    name: "a PodDisruptionBudget covers them",
    act: (running) => running.apply(of("policy/v1", "PodDisruptionBudget", "web", { minAvailable: 2, selector })),
    upstream: 1,
  },
  {
    name: "a ResourceQuota limits the pods",
    act: (running) => running.apply(of("v1", "ResourceQuota", "all", { hard: { pods: "20" } })),
    upstream: 1,
  },
  {
    name: "a Job of 3 is made and ends",
    act: (running) => running.apply(of("batch/v1", "Job", "job", { completions: 3, parallelism: 3, template: { spec: job } })),
    upstream: 11,
  },
  {
    name: "the Deployment is deleted, in the background",
    act: (running) => running.client.delete(deployments, `${namespace}/web`, { propagationPolicy: "Background" }),
    upstream: 27,
    // Its ReplicaSets ask for the Deployment, and the pods of one of them for that one, once.
    reads: 3,
  },
  {
    name: "the namespace is deleted",
    act: (running) => running.client.delete(namespaces, namespace),
    upstream: 35,
    // Two looks at every kind.
    reads: 90,
  },
]

test("no scenario costs more writes than upstream, and most of them no read", async () => {
  const calls: Calls = { writes: [], reads: [] }
  await using running = await cluster({ nodes: 3, needs: { rootCa: "CA" }, layer: counting(calls) })
  await running.advance("10s")
  const tooMany: string[] = []
  for (const { name, act, upstream, reads = 0 } of rows) {
    calls.writes.length = 0
    calls.reads.length = 0
    await act(running)
    await running.advance("1m")
    const { length } = calls.writes
    expect(length, name).toBeGreaterThan(0)
    if (length > upstream) tooMany.push(`${name}: ${length} writes, upstream ${upstream}: ${calls.writes.join(", ")}`)
    if (calls.reads.length > reads) tooMany.push(`${name}: ${calls.reads.length} reads, expected ${reads}: ${calls.reads.join(", ")}`)
  }
  expect(tooMany).toEqual([])
})
