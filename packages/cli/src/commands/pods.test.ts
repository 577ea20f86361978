import type { Pod } from "@pilothouse/api/core/v1"
import type { Transport } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { containerNotice, podFor, printLog } from "./logs.ts"
import { connectedCluster } from "./test-connection.ts"
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
})

test("logs: a pod that names its main container was asked for its first; who did not choose is told which it is", async () => {
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
  expect(await topPods(connection.client, "default")).toMatch(/^NAME +CPU\(cores\) +MEMORY\(bytes\)\nweb-1 +250m +64Mi\n$/)
  expect(await topPods(connection.client, undefined)).toMatch(/^NAMESPACE +NAME +CPU/)
  expect(await topPods(connection.client, "kube-system")).toBe("No resources found.\n")
  expect(await topNodes(connection.client)).toMatch(
    /^NAME +CPU\(cores\) +CPU\(%\) +MEMORY\(bytes\) +MEMORY\(%\)\nnode-1 +\d+m +\d+% +\d+Mi +\d+%\n$/,
  )
})
