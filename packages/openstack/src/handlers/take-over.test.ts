import { readFileSync } from "node:fs"
import { endpoints, pods } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { openStack } from "../clients/cloud.ts"
import { decodeState, decodeVif } from "../versioned-objects/annotations.ts"
import { specAnnotation, stateAnnotation, vifAnnotation } from "./annotations.ts"
import { podOf, podPorts, serviceOf, type TestCluster, testCluster } from "./test-cloud.ts"

/** The text of an annotation that the real kuryr wrote. */
function written(name: string): string {
  const path = new URL(`../versioned-objects/test-fixtures/${name}.json`, import.meta.url)
  return (JSON.parse(readFileSync(path, "utf8")) as { readonly text: string }).text
}

/** The same text about other objects. */
function about(text: string, other: Readonly<Record<string, string>>): string {
  return Object.entries(other).reduce((made, [old, now]) => made.replaceAll(old, now), text)
}

function clients(run: TestCluster) {
  return openStack({ access: run.cloud.access(), connect: run.cloud.connect, clock: run.cluster.clock })
}

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
    const pod = podOf("web-1")
    const { metadata } = await run.cluster.apply({ ...pod, metadata: { ...pod.metadata, annotations: { [vifAnnotation]: own } } })
    await neutron.ports.update(port.id, { device_id: metadata.uid })
    await run.cluster.restartLoops()
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
  const { octavia, polls } = clients(run)
  const { project } = run.cloud.seed
  const before = decodeState(written("live-lbaas-state"))
  const [listener] = before.listeners
  const subnet = run.cloud.serviceSubnet("10.96.0.0/12")
  const ip = "10.96.51.42"
  // As kuryr leaves it in the cloud: by its names, and without a word about clusters.
  const made = await octavia.loadBalancers.create({
    name: "default/sv1",
    vip_subnet_id: subnet,
    vip_address: ip,
    listeners: [
      {
        name: listener!.name,
        protocol: "TCP",
        protocol_port: listener!.port,
        default_pool: {
          name: listener!.name,
          protocol: "TCP",
          lb_algorithm: "ROUND_ROBIN",
          members: before.members.map(({ name, ip: address, port }) => ({ name, address, protocol_port: port, subnet_id: subnet })),
        },
      },
    ],
  })
  await run.cluster.advance("5s")
  await polls.untilActive(made.id)
  // Whoever begins now finds it there.
  await run.cluster.restartLoops()
  const others = {
    [before.loadbalancer!.id]: made.id,
    [before.loadbalancer!.ip]: ip,
    [before.loadbalancer!.subnet_id]: subnet,
    [before.loadbalancer!.project_id]: project,
    "8b147f08-e028-4e8b-a8a3-32b14c77bc0c": run.cloud.seed.podSecurityGroup,
  }
  const spec = about(written("live-lbaas-spec"), others)
  const state = about(written("live-lbaas-state"), others)
  const from = run.cloud.calls.length
  const service = serviceOf("sv1", { selector: undefined, clusterIP: ip })
  await run.cluster.apply({ ...service, metadata: { ...service.metadata, annotations: { [specAnnotation]: spec } } })
  const addresses = before.members.map(({ name, ip: address }) => ({
    ip: address,
    targetRef: { kind: "Pod", namespace: "default", name: name.replace(/^default\//, "").replace(/:\d+$/, "") },
  }))
  const subsets = [{ addresses, ports: [{ port: before.members[0]!.port, protocol: "TCP" }] }]
  const annotations = { [specAnnotation]: spec, [stateAnnotation]: state }
  const metadata = { name: "sv1", namespace: "default", annotations }
  await run.cluster.apply({ apiVersion: "v1", kind: "Endpoints", metadata, subsets } as never)
  await run.cluster.advance("15m")
  expect([...run.cloud.octavia.balancers.rows.values()].filter(({ name }) => name === "default/sv1").map(({ id }) => id)).toEqual([made.id])
  const changes = run.cloud.calls
    .slice(from)
    .filter(({ service: of, verb, body }) => of === "octavia" && verb !== "GET" && !JSON.stringify(body).includes("kubernetes"))
  expect(changes.map(({ verb, path }) => `${verb} ${path}`)).toEqual([])
  const after = decodeState((await run.cluster.client.get(endpoints, "default/sv1")).metadata.annotations![stateAnnotation]!)
  expect([after.loadbalancer?.id, after.members.length]).toEqual([made.id, 10])
})
