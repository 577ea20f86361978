import { type Pod, pods } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import type { Port } from "../clients/neutron/types.ts"
import { markDescription, markedOwner } from "../drivers/creation/cluster-marks.ts"
import { decodeVif } from "../versioned-objects/annotations.ts"
import { vifAnnotation } from "./annotations.ts"
import { podPorts, type TestCluster, testCluster, testPod } from "./testing/cluster.ts"
import { clients } from "./testing/faults.ts"
import { nested } from "./testing/nested.ts"
import { about, written } from "./testing/take-over.ts"

/** A pod whose port kuryr made, under a name of its own, and wrote on it; before the handlers start. */
async function wired(run: TestCluster, fixture: string, more: object = {}): Promise<{ readonly pod: Pod; readonly port: Port }> {
  const { neutron } = clients(run)
  const { podNetwork: network_id, podSubnet: subnet_id, podSecurityGroup } = run.cloud.seed
  const made = {
    network_id,
    name: "default/web-1",
    device_owner: "compute:kuryr",
    fixed_ips: [{ subnet_id }],
    security_groups: [podSecurityGroup],
  }
  const port = await neutron.ports.create({ ...made, ...more })
  const own = about(written(fixture), { [decodeVif(written(fixture)).id]: port.id })
  const pod = testPod("web-1")
  const annotated = await run.cluster.apply<Pod>({ ...pod, metadata: { ...pod.metadata, annotations: { [vifAnnotation]: own } } })
  return { pod: annotated, port }
}

async function goesUnseen(run: TestCluster): Promise<void> {
  run.cloud.fault = () => ({ status: 503 })
  await run.cluster.client.delete(pods, "default/web-1", { gracePeriodSeconds: 0 })
  await run.cluster.advance("5s")
  run.cloud.fault = () => undefined
  await run.cluster.restartControllers()
  // What is left over is looked for once there is a pod to serve.
  await run.cluster.apply(testPod("other"))
  await run.cluster.advance("5m")
}

test("marks a port of kuryr's with its owner, and changes nothing else; it is deleted when its pod is deleted while no controller runs", async () => {
  await using run = await testCluster()
  const { pod, port } = await wired(run, "vif-ovs-active", { "binding:host_id": "node1", description: "of the web team" })
  await clients(run).neutron.ports.update(port.id, { device_id: pod.metadata.uid })
  await run.cluster.restartControllers()
  const from = run.cloud.calls.length
  await run.cluster.advance("10m")
  const uid = pod.metadata.uid ?? ""
  const { name, device_owner, security_groups, fixed_ips } = port
  const description = `of the web team ${markDescription({ cluster: "cluster-one" }, uid)}`
  expect(podPorts(run)).toMatchObject([{ id: port.id, name, device_owner, device_id: uid, security_groups, fixed_ips, description }])
  const changes = run.cloud.calls
    .slice(from)
    .filter(({ verb, path }) => verb !== "GET" && (path === "/v2.0/ports" || path.endsWith(port.id)))
  expect(changes.map(({ verb, path, body }) => [verb, path, body])).toEqual([["PUT", `/v2.0/ports/${port.id}`, { port: { description } }]])
  await goesUnseen(run)
  expect(podPorts(run).map((one) => one.name)).toEqual(["other"])
})

test("nested-vlan: so does a subport, which leaves its trunk", async () => {
  await using run = await nested("nested-vlan")
  const { pod, port } = await wired(run, "vif-vlan-nested")
  const [trunk] = [...run.cloud.neutron.trunks.values()]
  const subport = { port_id: port.id, segmentation_type: "vlan", segmentation_id: 7 }
  await clients(run).neutron.trunks.addSubports(trunk!.id, [subport])
  await run.cluster.restartControllers()
  await run.cluster.advance("10m")
  expect(podPorts(run).map(markedOwner)).toEqual([pod.metadata.uid])
  await goesUnseen(run)
  const subports = [...run.cloud.neutron.trunks.values()].flatMap(({ sub_ports }) => sub_ports.map(({ port_id }) => port_id))
  expect([podPorts(run).map(({ name }) => name), subports]).toEqual([["other"], podPorts(run).map(({ id }) => id)])
})

test("the port of a pod in a namespace that is not served here is left alone", async () => {
  await using run = await testCluster({ kuryr: { select: { namespaces: "served=yes" } } })
  const { port } = await wired(run, "vif-ovs-active", { "binding:host_id": "node1" })
  await run.cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "ours", labels: { served: "yes" } } })
  const pod = testPod("web-2")
  await run.cluster.restartControllers()
  await run.cluster.apply({ ...pod, metadata: { ...pod.metadata, namespace: "ours" } })
  await run.cluster.advance("5m")
  expect(podPorts(run).map(({ id, description }) => [id === port.id, description !== ""])).toEqual([
    [true, false],
    [false, true],
  ])
})
