import { kuryr, kuryrConfiguration, openStack } from "@pilothouse/openstack"
import {
  type CloudFixture,
  lbaasContract,
  type PodVifSubject,
  podVifContract,
  type SubnetsSubject,
  subnetsContract,
  type VifPoolSubject,
  vifPoolContract,
} from "@pilothouse/openstack/contract"
import { listPorts, removeAll } from "@pilothouse/openstack/contracts/handlers"
import { seededRandom } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { afterAll } from "vitest"
import { handlersCloud, realCloud } from "../real-cloud.ts"

const clusterMarks = { cluster: "drivers" }
const clock = systemClock

/** Drivers as the configuration chooses them, on a cloud without ports of an earlier row. */
async function driversOn(chosen: Readonly<Record<string, string>>, connect = realCloud().connect) {
  const { place } = realCloud()
  const known = handlersCloud(realCloud())
  const { project, podSubnet, serviceSubnet, podSecurityGroup } = known
  const cloud = openStack({ access: known.access, connect, clock, retries: 0 })
  const configuration = kuryrConfiguration({
    kubernetes: chosen,
    neutron_defaults: { project, pod_subnet: podSubnet, service_subnet: serviceSubnet, pod_security_groups: podSecurityGroup },
    pod_vif_nested: { worker_nodes_subnet: known.nodeSubnet },
    // Few, so that a row takes seconds, and looked after often.
    vif_pool: { ports_pool_min: 2, ports_pool_max: 4, ports_pool_batch: 3, ports_pool_update_frequency: 2 },
  })
  const mine = { cloud, clusterMarks, project }
  await removeAll(mine)
  const request = {
    node: place.host,
    hostIp: "192.168.0.10",
    project,
    network: place.podNetwork,
    subnets: [podSubnet],
    groups: [podSecurityGroup],
  }
  const make = () => kuryr({ cloud, configuration, ...clusterMarks, clock, random: seededRandom(2), sweep: { grace: "1s" } }).drivers
  return { make, mine, request }
}

async function podVif(driver: string): Promise<PodVifSubject> {
  const { make, mine, request } = await driversOn({ pod_vif_driver: driver })
  return { driver: make().pods.driver, request: (pod) => ({ ...request, pod }), count: async () => (await listPorts(mine)).length }
}

async function vifPool(pool: string): Promise<VifPoolSubject> {
  const { make, mine, request } = await driversOn({
    vif_pool_driver: pool,
    pod_vif_driver: pool === "nested" ? "nested-vlan" : "neutron-vif",
  })
  const owners = async () =>
    (await listPorts(mine)).flatMap(({ description }) => /pilothouse:owner=(\S+)/.exec(description ?? "")?.[1] ?? [])
  return {
    pool: () => make().pods.pool,
    count: async () => (await listPorts(mine)).length,
    request: (pod) => ({ ...request, pod }),
    owners,
    settle: () =>
      untilStill(async () =>
        (await listPorts(mine))
          .map(({ id, description }) => `${id} ${description}`)
          .sort()
          .join(),
      ),
    moment: () => clock.sleep(10),
  }
}

/** Until two looks, 3 s apart, see the same. */
async function untilStill(look: () => Promise<string>): Promise<void> {
  let last: string | undefined
  for (let now = await look(); now !== last; now = await look()) {
    last = now
    await clock.sleep(3_000)
  }
}

async function subnets(): Promise<SubnetsSubject> {
  const { connect } = realCloud()
  let [calls, isAway] = [0, false]
  const { make } = await driversOn({}, (url) => {
    const transport = connect(url)
    return (request) => {
      calls++
      return isAway ? Promise.reject(new Error("the cloud is away")) : transport(request)
    }
  })
  return {
    driver: make().pods.subnets,
    calls: () => calls,
    away: (next) => {
      isAway = next
    },
  }
}

/** Octavia answers at the paths of neutron-lbaas too: as a Neutron that hands them on would. */
async function oldPaths(): Promise<CloudFixture> {
  const fixture = realCloud()
  const octavia = fixture.connect(await openStack(fixture).keystone.endpoint("load-balancer"))
  const connect: CloudFixture["connect"] = (url) => {
    const neutron = fixture.connect(url)
    return (request) => (request.path.startsWith("/v2.0/lbaas") ? octavia : neutron)(request)
  }
  return { ...fixture, connect, loadBalancing: "neutron-lbaas" }
}

// Addresses that a node's port still allows would be met by the suites that come after.
afterAll(async () => (await driversOn({})).make())

for (const driver of ["neutron-vif", "nested-vlan", "nested-macvlan"]) podVifContract(driver, () => podVif(driver))
subnetsContract("default", subnets)
lbaasContract("octavia", async () => realCloud())
lbaasContract("lbaasv2", oldPaths)
for (const pool of ["noop", "neutron", "nested"]) vifPoolContract(pool, () => vifPool(pool))
