import { type Pod, pods } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { vifAnnotation } from "../annotations.ts"
import { podPorts, podVif, readyPod, type TestCluster, testCluster, testPod } from "../testing/cluster.ts"

function active(run: TestCluster, name: string): Promise<void> {
  return run.cluster.until(async () => (await podVif(run, name))?.active === true)
}

test("a pod with a node gets a port named after it, bound to the node, and an active VIF", async () => {
  await using run = await testCluster()
  await run.cluster.apply(testPod("web-1"))
  await active(run, "web-1")
  const pod = await run.cluster.client.get<Pod>(pods, "default/web-1")
  expect(podPorts(run)).toMatchObject([
    { name: "web-1", device_id: pod.metadata.uid, "binding:host_id": "node1", device_owner: "compute:kuryr", status: "ACTIVE" },
  ])
  expect((await podVif(run, "web-1"))?.network?.subnets?.[0]?.ips).toEqual([{ address: podPorts(run)[0]?.fixed_ips[0]?.ip_address }])
})

test("a pod costs two writes to the API server and one port create; its port goes with it", async () => {
  await using run = await testCluster()
  await run.cluster.apply(testPod("web-1"))
  await active(run, "web-1")
  const writes = run.cloud.calls.filter(({ path, verb }) => path.startsWith("/v2.0/ports") && verb !== "GET")
  expect(writes.map(({ verb, path }) => `${verb} ${path}`)).toEqual(["POST /v2.0/ports"])
  const reconciles = run.cluster.trace.entries().filter(({ controller }) => controller === "vif")
  expect(reconciles.flatMap(({ results }) => results).filter(({ operation }) => operation.do === "patch")).toHaveLength(2)
  await run.cluster.client.delete(pods, "default/web-1", { gracePeriodSeconds: 0 })
  await run.cluster.settled()
  expect(podPorts(run)).toEqual([])
})

test.each([
  ["on the network of its node", testPod("p", { hostNetwork: true })],
  ["without a node", testPod("p", { nodeName: undefined })],
])("a pod %s is left alone", async (_, pod) => {
  await using run = await testCluster()
  await run.cluster.apply(pod)
  await run.cluster.advance("1m")
  expect(podPorts(run)).toEqual([])
})

test("a pod that finished gives its port back", async () => {
  await using run = await testCluster()
  await run.cluster.apply(testPod("job"))
  await readyPod(run, "job")
  const ref = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "default", name: "job" } }
  await run.cluster.client.patch(pods, ref, { status: { phase: "Succeeded" } }, { subresource: "status" })
  await run.cluster.settled()
  expect([podPorts(run), await podVif(run, "job")]).toEqual([[], undefined])
})

test("deleted and created again under the same name: another port, and the old one is gone", async () => {
  await using run = await testCluster()
  await run.cluster.apply(testPod("db-0"))
  await active(run, "db-0")
  const [old] = podPorts(run)
  await run.cluster.client.delete(pods, "default/db-0", { gracePeriodSeconds: 0 })
  await run.cluster.apply(testPod("db-0"))
  await active(run, "db-0")
  expect(podPorts(run)).toHaveLength(1)
  expect(podPorts(run)[0]?.id).not.toBe(old?.id)
})

test("50 pods at once cost a few bulk creates", async () => {
  await using run = await testCluster()
  run.cloud.knobs.latency = 200
  for (let count = 0; count < 50; count++) await run.cluster.apply(testPod(`web-${count}`))
  await run.cluster.until(async () => {
    const all = await run.cluster.list(pods)
    return all.every(({ metadata }) => metadata.annotations?.[vifAnnotation]?.includes('"active": true'))
  })
  expect(podPorts(run)).toHaveLength(50)
  expect(run.cloud.calls.filter(({ verb, path }) => verb === "POST" && path === "/v2.0/ports").length).toBeLessThanOrEqual(8)
})

test("a VIF that was edited into something unknown is not overwritten, and reported in health", async () => {
  await using run = await testCluster()
  const pod = testPod("web-1")
  await run.cluster.apply({
    ...pod,
    metadata: { ...pod.metadata, annotations: { [vifAnnotation]: '{"versioned_object.name": "VIFWonder"}' } },
  })
  await run.cluster.settled()
  expect(podPorts(run)).toEqual([])
  expect(run.kuryr().checks()).toMatchObject([{ name: "vif", ok: true, reason: expect.stringContaining("VIFWonder") }, {}, {}, {}])
})
