import { type Lease, leases } from "@pilothouse/api/coordination/v1"
import { type Node, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { type Cluster, type ClusterOptions, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { simulatedPodDialer } from "./pod/pod-dialer.ts"

/** A node as a real kubelet registers itself: without the label of simulated ones. */
const real: Node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "real-1", labels: { "kubernetes.io/hostname": "real-1" } },
  spec: {},
  status: {
    conditions: [{ type: "Ready", status: "True" }],
    capacity: { cpu: "4", memory: "8Gi", pods: "110" },
    allocatable: { cpu: "4", memory: "8Gi", pods: "110" },
    addresses: [{ type: "InternalIP", address: "192.0.2.7" }],
  },
}

function podOn(node: string, name = "web"): Pod {
  const spec = { nodeName: node, containers: [{ name: "main", image: "busybox", command: ["sh", "-c", "echo invented"] }] }
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" }, spec }
}

/** What the kubelet of the node says of its pod. */
const running = {
  phase: "Running",
  podIP: "10.9.8.7",
  conditions: [{ type: "Ready", status: "True" }],
  containerStatuses: [
    {
      name: "main",
      image: "busybox",
      imageID: "x",
      ready: true,
      restartCount: 0,
      state: { running: { startedAt: "2026-01-05T09:00:00Z" } },
    },
  ],
} as const

/** Two nodes, one of them real, each with a pod that runs. */
async function start(options: ClusterOptions = {}): Promise<Cluster> {
  const made = await cluster({ controllers: [], ...options })
  await made.client.create(nodes, real)
  await made.client.patch(nodes, "real-1", { status: real.status }, { subresource: "status" })
  await made.apply(podOn("real-1"))
  await made.apply(podOn("node-1", "simulated"))
  await made.client.patch(pods, "default/web", { status: running }, { subresource: "status" })
  await made.advance("30s")
  return made
}

async function ask(of: Cluster, path: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const { status, body } = await of.transport({ verb: "GET", path, query: {}, headers })
  if (body.type === "value") return { code: status, ...(JSON.parse(JSON.stringify(body.value)) as object) }
  return body.type === "bytes" ? new TextDecoder().decode(body.bytes) : expect.fail("a stream")
}

const upgrade = { connection: "Upgrade", upgrade: "websocket" }
const refusal =
  'node "real-1" is not simulated by this server, which cannot connect to kubelets yet: logs, exec, attach, port-forward and the proxy of the node are not available'

test.each([
  ["logs", "/api/v1/namespaces/default/pods/web/log", {}],
  ["exec", "/api/v1/namespaces/default/pods/web/exec", upgrade],
  ["attach", "/api/v1/namespaces/default/pods/web/attach", upgrade],
  ["port-forward", "/api/v1/namespaces/default/pods/web/portforward", upgrade],
  ["the health of the node", "/api/v1/nodes/real-1/proxy/healthz", {}],
  ["logs by way of the node", "/api/v1/nodes/real-1/proxy/containerLogs/default/web/main", {}],
])("%s of a real node were answered by the simulator", async (_what, path, headers) => {
  await using made = await start()
  expect(await ask(made, path, headers)).toMatchObject({ kind: "Status", code: 503, reason: "ServiceUnavailable", message: refusal })
})

test("simulated nodes beside it answer as before", async () => {
  await using made = await start()
  expect(await ask(made, "/api/v1/namespaces/default/pods/simulated/log")).toBe("invented\n")
  expect(await ask(made, "/api/v1/nodes/node-1/proxy/healthz")).toBe("ok")
})

test("a pod whose node is not there has no log", async () => {
  await using made = await start()
  await made.apply(podOn("nowhere", "lost"))
  const lost = await ask(made, "/api/v1/namespaces/default/pods/lost/log")
  expect(lost).toMatchObject({ code: 404, message: 'nodes "nowhere" not found' })
})

test("the use of a real node and of its pods was invented: metrics.k8s.io leaves them out", async () => {
  await using made = await start()
  const names = (list: unknown) => (list as { items: readonly { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name)
  await made.apply({ ...podOn("node-1", "lasting"), spec: { nodeName: "node-1", containers: [{ name: "main", image: "web" }] } } as Pod)
  await made.settled()
  expect(names(await ask(made, "/apis/metrics.k8s.io/v1beta1/nodes"))).toEqual(["node-1"])
  expect(names(await ask(made, "/apis/metrics.k8s.io/v1beta1/pods"))).toEqual(["lasting"])
  expect(await ask(made, "/apis/metrics.k8s.io/v1beta1/nodes/real-1")).toMatchObject({ code: 404 })
  expect(await ask(made, "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/web")).toMatchObject({ code: 404 })
})

test("a load balancer does not take the simulator's answer for that of a pod on a real node", async () => {
  await using made = await start()
  const dialled = simulatedPodDialer({ client: () => made.client }).dial("10.9.8.7", 80, new AbortController().signal)
  await expect(dialled).rejects.toThrow("node real-1 is not simulated")
})

test("no simulated kubelet writes to a real node, its Lease or its pods, deleted ones neither", async () => {
  const writes: string[] = []
  const layer: ClusterOptions["layer"] = (inner) => (request) => {
    if (request.verb !== "GET" && request.headers["user-agent"]?.includes("simulated-kubelet")) writes.push(request.path)
    return inner(request)
  }
  await using made = await start({ layer })
  const lease: Lease = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "real-1", namespace: "kube-node-lease" },
    spec: { holderIdentity: "real-1", leaseDurationSeconds: 40, renewTime: "2026-01-05T09:00:00.000000Z" },
  }
  await made.client.create(leases, lease)
  await made.apply(podOn("real-1", "pending"))
  await made.client.delete(pods, "default/web")
  await made.advance("10m")
  expect(writes.filter((path) => /real-1|\/web|\/pending/.test(path))).toEqual([])
  expect(writes).toContain("/api/v1/nodes/node-1/status")
  expect((await made.client.get(pods, "default/web")).status).toMatchObject(running)
  expect((await made.client.get(pods, "default/pending")).status?.phase).toBe("Pending")
  expect((await made.client.get(leases, "kube-node-lease/real-1")).spec?.renewTime).toBe("2026-01-05T09:00:00.000000Z")
})
