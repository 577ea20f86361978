import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { endpoints, pods } from "@pilothouse/api/core/v1"
import { EmbeddedOpenStack, kuryr, kuryrConfiguration, openStack } from "@pilothouse/openstack"
import { type Clock, seededRandom } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import type { Row } from "../bench.ts"
import { podOf, served, stateKey, vifKey } from "./lab.ts"

const podCount = 5000
const serviceCount = 500
const members = 10

/** In virtual time, with API server, cloud and handlers in this process: the heap is what all three keep. */
export async function manyOnEmbedded(): Promise<readonly Row[]> {
  setFlagsFromString("--expose-gc")
  const collect: () => void = runInNewContext("gc")
  await using running = await cluster({ nodes: 0, controllers: [], extra: (clock) => handlersOn(clock).controllers })
  await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: served, labels: { served: "yes" } } })
  await running.apply({ apiVersion: "v1", kind: "Node", metadata: { name: "node1" } })
  await running.settled()
  collect()
  const before = process.memoryUsage().heapUsed
  const cpu = process.cpuUsage()
  await makePods(running)
  await makeServices(running)
  const { user, system } = process.cpuUsage(cpu)
  collect()
  const heap = (process.memoryUsage().heapUsed - before) / 1024 / 1024
  const what = `${podCount} pods and ${serviceCount} Services with ${members} members on the embedded cloud`
  return [
    { what: `heap of API server, cloud and handlers for ${what}`, ours: heap, unit: "MB" },
    { what: `CPU of all three for ${what}`, ours: (user + system) / 1e6, unit: "s" },
  ]
}

function handlersOn(clock: Clock) {
  const embedded = new EmbeddedOpenStack({ clock, random: seededRandom(7), knobs: { hosts: ["node1"] }, keepCalls: 0 })
  const { project, podSubnet, podSecurityGroup } = embedded.seed
  const service_subnet = embedded.serviceSubnet("10.96.0.0/12")
  const configuration = kuryrConfiguration({
    neutron_defaults: { project, pod_subnet: podSubnet, service_subnet, pod_security_groups: podSecurityGroup },
  })
  const cloud = openStack({ access: embedded.access(), connect: embedded.connect, clock })
  return kuryr({ cloud, configuration, cluster: "bench", clock, random: seededRandom(8), select: { namespaces: "served=yes" } })
}

async function makePods(running: Cluster): Promise<void> {
  for (let at = 0; at < podCount; at++) await running.apply(podOf(`web-${at}`))
  await secondsUntil(running, async () => {
    const all = await running.list(pods, { namespace: served })
    return all.every(({ metadata }) => metadata.annotations?.[vifKey]?.includes('"active": true'))
  })
}

async function makeServices(running: Cluster): Promise<void> {
  for (let at = 0; at < serviceCount; at++) {
    const metadata = { name: `web-${at}`, namespace: served }
    const addresses = Array.from({ length: members }, (_, one) => ({ ip: `10.10.${at % 250}.${one + 1}` }))
    const subsets = [{ addresses, ports: [{ port: 8080, protocol: "TCP" }] }]
    await running.apply({ apiVersion: "v1", kind: "Endpoints", metadata, subsets } as never)
    await running.apply({ apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ port: 80, protocol: "TCP" }] } } as never)
  }
  await secondsUntil(running, async () => {
    const all = await running.list(endpoints, { namespace: served })
    return all.every(({ metadata }) => metadata.annotations?.[stateKey]?.includes("LBaaSMember"))
  })
}

/** Asked once a second only: to list them all is dearer than what is measured. */
async function secondsUntil(running: Cluster, condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await running.advance("1s")
}
