import { deployments } from "@pilothouse/api/apps/v1"
import { leases } from "@pilothouse/api/coordination/v1"
import { type Transport, VirtualClock } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import type { HistorySource } from "../explain/history/leader.ts"
import { explain, explainNamespace, watchVerdict } from "./explain.ts"
import { connectedCluster } from "./testing/connection.ts"

const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "example/web" }] } },
  },
}

test("without history the controllers of the kind look once, and write nothing", async () => {
  await using connection = await connectedCluster({ controllers: [], nodes: 0 })
  await connection.cluster.apply(web)
  const before = await connection.client.get(deployments, "default/web")
  const text = await explain(connection, ["deployment/web"])
  expect(text).toContain("deployment.apps/web in default: its controller has not reported on the last change yet\n  NAME   READY")
  expect(text).toContain("What would be done (no history was found here: observed and decided now, and nothing written)")
  expect(text).toContain("Now\n  deployment-controller: would do what follows\n")
  expect(text).toMatch(/create ReplicaSet default\/web-\w+, because no ReplicaSet has the template of generation 1/)
  expect(await connection.client.get(deployments, "default/web")).toEqual(before)
})

test("what no controller is concerned with is said", async () => {
  await using connection = await connectedCluster({ controllers: [], nodes: 0 })
  await connection.cluster.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } })
  expect(await explain(connection, ["cm", "settings"])).toMatch(/Now\n {2}no controller has reconciled it: [^\n]+\n$/)
})

test.each<[name: string, source: HistorySource, message: string]>([
  ["a server that is not there", { server: "https://127.0.0.1:1" }, "the leader at https://127.0.0.1:1 could not be asked"],
  ["a Lease without a holder", { lease: "kube-system/none" }, "expected a Lease kube-system/none that a leader of"],
])("%s, named by a flag, is an error and not another's history", async (_name, source, message) => {
  await using connection = await connectedCluster({ controllers: [], nodes: 0 })
  await connection.cluster.apply(web)
  await expect(explain(connection, ["deployment/web"], source)).rejects.toThrow(message)
})

test("counts ages by the server's clock where this machine's is off, and says so", async () => {
  await using connection = await connectedCluster({ controllers: [], nodes: 1 })
  await expect.poll(async () => (await connection.cluster.list(leases, { namespace: "kube-node-lease" })).length).toBe(1)
  const date = new Date(systemClock.now() + 61 * 60_000).toUTCString()
  const transport: Transport = async (request) => {
    const answer = await connection.transport(request)
    return request.path === "/version" ? { ...answer, headers: { ...answer.headers, date } } : answer
  }
  const text = await explain({ ...connection, transport }, ["node/node-1"])
  expect(text).toContain("Clock\n  the clock of this machine is 1h behind the server's, which is used for the times here")
  expect(text).toContain("its kubelet renewed its Lease 1h ago")
})

test("-o json has the verdict and what the text has", async () => {
  await using connection = await connectedCluster({ controllers: [], nodes: 0 })
  await connection.cluster.apply(web)
  const explanation = JSON.parse(await explain(connection, ["deployment/web"], { output: "json" }))
  expect(explanation).toMatchObject({
    object: { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "web" },
    health: "progressing",
    summary: "its controller has not reported on the last change yet",
    now: ["deployment-controller: would do what follows"],
    history: [{ controller: "deployment-controller", key: "default/web" }],
  })
})

test("without an object lists what is not well in the namespace, and with -A also elsewhere", async () => {
  await using connection = await connectedCluster({ controllers: [], nodes: 0 })
  expect(await explainNamespace(connection, {})).toBe("all is well in default\n")
  await connection.cluster.apply(web)
  const expected = "progressing  deployment.apps/web in default: its controller has not reported on the last change yet\n"
  expect(await explainNamespace(connection, {})).toBe(expected.replace(" in default", ""))
  expect(await explainNamespace({ ...connection, namespace: "other" }, {})).toBe("all is well in other\n")
  expect(await explainNamespace({ ...connection, namespace: "other" }, { allNamespaces: true })).toBe(expected)
  const [found] = JSON.parse(await explainNamespace(connection, { output: "json" })) as readonly object[]
  expect(found).toMatchObject({ name: "deployment.apps/web", namespace: "default", verdict: { health: "progressing" } })
})

test("-w prints the verdict again when it has changed, and not before", async () => {
  await using connection = await connectedCluster({ controllers: [], nodes: 0 })
  await connection.cluster.apply({ ...web, spec: { ...web.spec, replicas: 0 } })
  const clock = new VirtualClock()
  const printed: string[] = []
  const stop = new AbortController()
  const watching = watchVerdict(connection, ["deployment/web"], {
    print: (text) => printed.push(text.slice(9)),
    clock,
    signal: stop.signal,
  })
  await expect.poll(() => printed.length).toBe(1)
  const { metadata } = await connection.client.get(deployments, "default/web")
  await connection.client.patch(deployments, { metadata }, { status: { observedGeneration: 1 } }, { subresource: "status" })
  await expect
    .poll(async () => (await clock.advance(1000), printed))
    .toEqual([
      "deployment.apps/web in default: its controller has not reported on the last change yet\n",
      "deployment.apps/web in default: scaled to zero\n",
    ])
  stop.abort()
  await watching
})
