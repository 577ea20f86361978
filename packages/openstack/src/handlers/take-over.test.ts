import { endpoints, pods } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { decodeState, decodeVif } from "../versioned-objects/annotations.ts"
import { stateAnnotation, vifAnnotation } from "./annotations.ts"
import { podPorts, testCluster, testPod } from "./testing/cluster.ts"
import { clients } from "./testing/faults.ts"
import { about, balancerChanges, kuryrsBalancer, kuryrsService, written } from "./testing/take-over.ts"

test.each(["live-vif-ovs", "vif-ovs-active", "later-pod-state"])(
  "a pod that kuryr wired (%s) keeps its port, and gives it back when it goes",
  async (name) => {
    await using run = await testCluster()
    const { neutron } = clients(run)
    const { podNetwork, podSubnet, podSecurityGroup } = run.cloud.seed
    const port = await neutron.ports.create({
      network_id: podNetwork,
      name: "web-1",
      device_owner: "compute:kuryr",
      fixed_ips: [{ subnet_id: podSubnet }],
      security_groups: [podSecurityGroup],
      "binding:host_id": "node1",
    })
    await run.cluster.advance("5s")
    const text = written(name)
    const own = about(text, { [decodeVif(text).id]: port.id })
    const pod = testPod("web-1")
    const { metadata } = await run.cluster.apply({ ...pod, metadata: { ...pod.metadata, annotations: { [vifAnnotation]: own } } })
    await neutron.ports.update(port.id, { device_id: metadata.uid })
    await run.cluster.restartControllers()
    await run.cluster.advance("20m")
    expect(podPorts(run).map(({ id }) => id)).toEqual([port.id])
    const kept = (await run.cluster.client.get(pods, "default/web-1")).metadata.annotations?.[vifAnnotation]
    expect(decodeVif(kept!)).toMatchObject({ id: port.id, active: true })
    if (decodeVif(text).active) expect(kept).toBe(own)
    await run.cluster.client.delete(pods, "default/web-1", { gracePeriodSeconds: 0 })
    await run.cluster.advance("1m")
    expect(podPorts(run)).toEqual([])
  },
)

test("a Service and Endpoints that kuryr annotated (ten members): its load balancer is continued, and nothing is made", async () => {
  await using run = await testCluster()
  const made = await kuryrsBalancer(run)
  const from = run.cloud.calls.length
  await kuryrsService(run, made)
  await run.cluster.advance("15m")
  expect([...run.cloud.octavia.balancers.rows.values()].filter(({ name }) => name === "default/sv1").map(({ id }) => id)).toEqual([made.id])
  // Each is marked once with its owner, and nothing else changes.
  expect(balancerChanges(run, from)).toEqual(["PUT loadbalancers", "PUT listeners", "PUT pools"])
  const after = decodeState((await run.cluster.client.get(endpoints, "default/sv1")).metadata.annotations![stateAnnotation]!)
  expect([after.loadbalancer?.id, after.members.length]).toEqual([made.id, 10])
})
