import { systemClock } from "@pilothouse/seams/system"
import type { Lab } from "./lab.ts"
import { median } from "./pod-times.ts"

/** What the cloud takes for itself, asked by the shortest way. Milliseconds. */
export interface Floor {
  readonly onePort: number
  readonly fiftyPorts: number
  readonly oneTree: number
}

const largestBulk = 10

export async function measureFloor(lab: Lab): Promise<Floor> {
  const singles: number[] = []
  for (let round = 0; round < 5; round++) singles.push(await portsInBulk(lab, [1]))
  const trees: number[] = []
  for (let round = 0; round < 3; round++) trees.push(await wholeTree(lab, round))
  const fiftyPorts = await portsInBulk(
    lab,
    Array.from({ length: 50 / largestBulk }, () => largestBulk),
  )
  return { onePort: median(singles), fiftyPorts, oneTree: median(trees) }
}

async function portsInBulk({ cloud: { neutron }, podNetwork, podSubnet }: Lab, sizes: readonly number[]): Promise<number> {
  const wanted = {
    network_id: podNetwork,
    fixed_ips: [{ subnet_id: podSubnet }],
    name: "floor",
    device_owner: "compute:floor",
    "binding:host_id": "node1",
  }
  const since = systemClock.elapsed()
  const made: string[] = []
  for (const size of sizes) for (const { id } of await neutron.ports.createMany(Array.from({ length: size }, () => wanted))) made.push(id)
  const took = systemClock.elapsed() - since
  for (const id of made) await neutron.ports.delete(id)
  return took
}

/** Listener, pool and 10 members in one POST, looked at ten times a second. */
async function wholeTree({ cloud, serviceSubnet }: Lab, round: number): Promise<number> {
  const { loadBalancers } = cloud.octavia
  const members = Array.from({ length: 10 }, (_, at) => ({
    name: `floor-${at}`,
    address: `10.10.201.${at + 1}`,
    protocol_port: 8080,
    subnet_id: serviceSubnet,
  }))
  const pool = { name: "floor", protocol: "TCP" as const, lb_algorithm: "ROUND_ROBIN", members }
  const listeners = [{ name: "floor", protocol: "TCP" as const, protocol_port: 80, default_pool: pool }]
  const since = systemClock.elapsed()
  const { id } = await loadBalancers.create({ name: `floor-${round}`, vip_subnet_id: serviceSubnet, listeners })
  while ((await loadBalancers.get(id)).provisioning_status !== "ACTIVE") await systemClock.sleep(100)
  const took = systemClock.elapsed() - since
  await loadBalancers.delete(id, { cascade: true })
  await cloud.polls.untilGone(id)
  return took
}
