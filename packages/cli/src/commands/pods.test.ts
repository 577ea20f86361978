import type { Pod } from "@pilothouse/api/core/v1"
import { createClient } from "@pilothouse/runtime"
import type { Transport } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { containerNotice, podFor, printLog } from "./logs.ts"
import { connectedCluster } from "./testing/connection.ts"
import { topNodes, topPods } from "./top.ts"

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "web-1",
    namespace: "default",
    labels: { app: "web" },
    annotations: { "pilothouse.dev/cpu": "250m", "pilothouse.dev/memory": "64Mi" },
  },
  spec: { containers: [{ name: "web", image: "example/web", command: ["sh", "-c", "echo one; echo two; sleep infinity"] }] },
}
const web = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "web" },
  spec: { replicas: 0, selector: { matchLabels: { app: "web" } }, template: { metadata: { labels: { app: "web" } }, spec: pod.spec } },
}

/** A cluster where the pod runs. */
async function start() {
  const connection = await connectedCluster({ controllers: [], nodes: 1 })
  await connection.cluster.apply(pod)
  await expect.poll(async () => (await podFor(connection.client, "web-1", "default")).status?.phase).toBe("Running")
  return connection
}

test("logs: by the pod's name or by who selects it, the last lines or all", async () => {
  await using connection = await start()
  await connection.cluster.apply(web)
  const logs = async (word: string, options: object = {}) => {
    const parts: Uint8Array[] = []
    const found = await podFor(connection.client, word, "default")
    await printLog(connection.transport, found, options, (bytes) => parts.push(bytes))
    return Buffer.concat(parts).toString()
  }
  expect(await logs("web-1")).toBe("one\ntwo\n")
  expect(await logs("rs/web", { tail: 1 })).toBe("two\n")
  await expect(logs("web-1", { container: "other" })).rejects.toThrow("container other is not valid for pod web-1")
  await expect(logs("none")).rejects.toThrow('pods "none" not found')
  await expect(logs("web-2")).rejects.toThrow('pods "web-2" not found; did you mean "web-1"?')
  await expect(logs("rs/wbe")).rejects.toThrow('replicasets.apps "wbe" not found; did you mean "web"?')
})

test("logs: a pod that names its main container is asked for that one; a note names the default container", async () => {
  const asked: unknown[] = []
  const log: Transport = async ({ query }) => ({
    status: (asked.push(query.container), 200),
    headers: {},
    body: { type: "value", value: "" },
  })
  const containers = ["proxy", "web"].map((name) => ({ name, image: name }))
  const annotations = { "kubectl.kubernetes.io/default-container": "web" }
  const two: Pod = { ...pod, metadata: { name: "web-1", annotations }, spec: { containers } }
  await printLog(log, two, {}, () => {})
  await printLog(log, two, { container: "proxy" }, () => {})
  await printLog(
    log,
    { ...two, metadata: { name: "web-1", annotations: { "kubectl.kubernetes.io/default-container": "gone" } } },
    {},
    () => {},
  )
  expect(asked).toEqual(["web", "proxy", "proxy"])
  expect([containerNotice(two, {}), containerNotice(two, { container: "web" }), containerNotice(pod, {})]).toEqual([
    'Defaulted container "web" out of: proxy, web\n',
    undefined,
    undefined,
  ])
})

test("logs: a log without a line, as it comes over HTTP, is nothing to print", async () => {
  const parts: Uint8Array[] = []
  const empty: Transport = async () => ({ status: 200, headers: {}, body: { type: "value", value: undefined } })
  await printLog(empty, pod, {}, (bytes) => parts.push(bytes))
  expect(Buffer.concat(parts).length).toBe(0)
})

test("logs: a workload without pods says where to ask why", async () => {
  await using connection = await connectedCluster({ controllers: [], nodes: 0 })
  await connection.cluster.apply(web)
  await expect(podFor(connection.client, "rs/web", "default", "team")).rejects.toThrow('"pilothouse explain rs/web -n default" may say why')
  await expect(podFor(connection.client, "rs/web", "default")).rejects.toThrow(
    'expected a pod of rs/web, found none; "pilothouse explain rs/web" may say why',
  )
})

test.each<[name: string, word: string]>([
  ["a node", "node/node-1"],
  ["an object without pods", "cm/kube-root-ca.crt"],
])("logs: %s prints none, and that is said", async (_name, word) => {
  await using connection = await connectedCluster({ controllers: [], nodes: 1 })
  await connection.cluster.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "kube-root-ca.crt" } })
  await expect(podFor(connection.client, word, "default")).rejects.toMatchObject({
    code: "USAGE",
    message: `expected a pod, or what has pods, such as web-1 or deployment/web, found ${word}, which prints no log`,
  })
})

test("top: what nodes and pods use, in kubectl's columns", async () => {
  await using connection = await start()
  expect(await topPods(connection.client, { namespace: "default" })).toMatch(/^NAME +CPU\(cores\) +MEMORY\(bytes\)\nweb-1 +250m +64Mi\n$/)
  expect(await topPods(connection.client, {})).toMatch(/^NAMESPACE +NAME +CPU/)
  expect(await topPods(connection.client, { namespace: "kube-system" })).toBe("No resources found.\n")
  expect(await topNodes(connection.client)).toMatch(
    /^NAME +CPU\(cores\) +CPU\(%\) +MEMORY\(bytes\) +MEMORY\(%\)\nnode-1 +\d+m +\d+% +\d+Mi +\d+%\n$/,
  )
})

test("top: one by its name, or those with labels, as kubectl has both", async () => {
  await using connection = await start()
  const { client } = connection
  const namespace = "default"
  expect(await topPods(client, { namespace, name: "web-1" })).toMatch(/^NAME .*\nweb-1 +250m +64Mi\n$/)
  expect(await topPods(client, { namespace, labelSelector: "app=web" })).toMatch(/^NAME .*\nweb-1 +250m +64Mi\n$/)
  expect(await topPods(client, { namespace, labelSelector: "app=other" })).toBe("No resources found.\n")
  expect(await topNodes(client, { name: "node-1" })).toMatch(/^NAME .*\nnode-1 .*\n$/)
  expect(await topNodes(client, { labelSelector: "kubernetes.io/hostname=node-7" })).toBe("No resources found.\n")
})

test("top: distinguishes one that is not there from one that does not run", async () => {
  await using connection = await start()
  const { client } = connection
  await connection.cluster.apply({ ...pod, metadata: { name: "waiting" }, spec: { ...pod.spec, nodeSelector: { "no/such": "node" } } })
  await expect(topPods(client, { namespace: "default", name: "web-2" })).rejects.toThrow('pods "web-2" not found; did you mean "web-1"?')
  await expect(topNodes(client, { name: "node-2" })).rejects.toThrow('nodes "node-2" not found; did you mean "node-1"?')
  await expect(topPods(client, { namespace: "default", name: "waiting" })).rejects.toThrow(
    "expected metrics of pod/waiting, found none: it does not run, or has not been measured yet",
  )
})

test("top: a cluster without metrics says what to install", async () => {
  const body = { type: "bytes" as const, bytes: Buffer.from("404 page not found"), contentType: "text/plain" }
  const none = createClient(async () => ({ status: 404, headers: {}, body }))
  for (const name of [undefined, "web-1"])
    await expect(topPods(none, { namespace: "default", name })).rejects.toThrow(
      "expected the API metrics.k8s.io, found none in this cluster",
    )
})
