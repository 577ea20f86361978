import { findCondition, invalid, serviceUnavailable } from "@pilothouse/api"
import { leases } from "@pilothouse/api/coordination/v1"
import { nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { type ClusterOptions, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"

test("a pod status that the server refuses does not stop the heartbeat", async () => {
  const layer: ClusterOptions["layer"] = (inner) => (request) =>
    request.path.endsWith("/pods/refused/status") ? Promise.reject(invalid(pods, "refused", [])) : inner(request)
  await using running = await cluster({ controllers: [], layer })
  const refused: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "refused" }, spec: { containers: [{ name: "a", image: "a" }] } }
  await running.apply(refused)
  const ages: number[] = []
  for (let looks = 0; looks < 60; looks++) {
    await running.advance("30s")
    const lease = await running.client.get(leases, "kube-node-lease/node-1")
    ages.push(running.clock.now() - Date.parse(lease.spec?.renewTime ?? ""))
  }
  expect((await running.client.get(pods, "default/refused")).status?.phase).toBe("Pending")
  // The Lease says 40 s.
  expect(Math.max(...ages)).toBeLessThan(40_000)
})

test("the kubelet of a paused node does nothing, and goes on when it is no longer paused", async () => {
  await using running = await cluster({ controllers: [] })
  await running.settled()
  const pause = (paused: string | null) =>
    running.client.patch(nodes, "node-1", { metadata: { annotations: { "pilothouse.dev/paused": paused } } })
  const renewed = async () => (await running.client.get(leases, "kube-node-lease/node-1")).spec?.renewTime
  await pause("true")
  const before = await renewed()
  const late: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "late" },
    spec: { nodeName: "node-1", containers: [{ name: "a", image: "a" }] },
  }
  await running.apply(late)
  await running.advance("5m")
  expect([await renewed(), (await running.client.get(pods, "default/late")).status?.phase]).toEqual([before, "Pending"])
  await pause(null)
  await running.settled()
  expect(await renewed()).not.toBe(before)
  expect((await running.client.get(pods, "default/late")).status?.phase).toBe("Running")
})

test.each<[name: string, refused: (path: string) => boolean]>([
  ["the first word that a pod is ready again is refused", (path) => path.endsWith("/pods/here/status")],
  ["the first word that the node is back is refused", (path) => path.endsWith("/nodes/node-1/status")],
])("a pod that was called lost with its node is ready again with it: %s", async (_name, refused) => {
  let refusals = 0
  const layer: ClusterOptions["layer"] = (inner) => (request) => {
    const isKubelet = request.headers["user-agent"]?.includes("simulated-kubelet")
    if (refusals === 0 || !isKubelet || request.verb === "GET" || !refused(request.path)) return inner(request)
    refusals--
    return Promise.reject(serviceUnavailable("not now"))
  }
  await using running = await cluster({ controllers: ["node-lifecycle"], nodes: 2, layer })
  const spec = { nodeName: "node-1", containers: [{ name: "a", image: "a" }] }
  await running.apply({ apiVersion: "v1", kind: "Pod", metadata: { name: "here" }, spec } as Pod)
  await running.settled()
  const pause = (paused: string | null) =>
    running.client.patch(nodes, "node-1", { metadata: { annotations: { "pilothouse.dev/paused": paused } } })
  const ready = async () => findCondition((await running.client.get(pods, "default/here")).status?.conditions, "Ready")?.status
  await pause("true")
  await running.until(async () => (await ready()) === "False")
  refusals = 2
  await pause(null)
  await running.advance("5m")
  expect([refusals, await ready()]).toEqual([0, "True"])
})
