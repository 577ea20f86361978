import type { Service } from "@pilothouse/api/core/v1"
import { cidrContains, parseCidr, parseIp } from "@pilothouse/api/net"
import { messageOf } from "@pilothouse/seams"
import { type Finding, note, ok, problem } from "../../doctor/check.ts"
import type { CloudChecks } from "./cloud-checks.ts"
import { namesakes } from "./namesakes.ts"

type Subnet = NonNullable<Awaited<ReturnType<CloudChecks["cloud"]["neutron"]["subnets"]["find"]>>>

/** The subnets, the router between them, and the network outside. */
export async function checkNetworks(checks: CloudChecks, services: readonly Service[] = []): Promise<readonly Finding[]> {
  const { configuration } = checks
  const pods = await subnetOf(checks, "pod_subnet", configuration.podSubnet)
  const ofServices = await subnetOf(checks, "service_subnet", configuration.serviceSubnet)
  const nodes = configuration.workerNodesSubnet
  return [
    withNotMade(pods.finding, "router"),
    withNotMade(ofServices.finding, "router", "cluster IPs"),
    ...(nodes === undefined ? [] : [(await subnetOf(checks, "worker_nodes_subnet", nodes)).finding]),
    ...(ofServices.subnet === undefined ? [] : checkServiceRange(ofServices.subnet, services)),
    ...(pods.subnet === undefined || ofServices.subnet === undefined ? [] : [await checkRouter(checks, [pods.subnet, ofServices.subnet])]),
    ...(configuration.externalNetwork === undefined ? [withoutOutside] : [await checkOutside(checks, configuration.externalNetwork)]),
  ]
}

/** Without the subnet, what stands on it cannot be looked at. */
function withNotMade(finding: Finding, ...notMade: readonly string[]): Finding {
  return finding.state === "problem" ? { ...finding, notMade } : finding
}

const withoutOutside = note(
  "external_svc_net",
  "not set: Services of type LoadBalancer get no address outside",
  "`openstack network list --external`: set [neutron_defaults] external_svc_net to one of them",
)

async function subnetOf(
  { cloud, signal }: CloudChecks,
  option: string,
  id: string,
): Promise<{ readonly finding: Finding; readonly subnet?: Subnet }> {
  try {
    const subnet = await cloud.neutron.subnets.find(id, { signal })
    if (subnet !== undefined) return { subnet, finding: ok(option, `${subnet.name || id}, ${subnet.cidr}`) }
    const others = await namesakes(cloud.neutron.subnets, id, signal)
    return { finding: problem(option, `there is no subnet ${id}${others}`, `\`openstack subnet list\`: set ${option} to the ID of one`) }
  } catch (error) {
    return { finding: problem(option, messageOf(error), "the subnet has to be readable by the project") }
  }
}

/** Addresses of Services have to be in it, and no other port may be given one of them. */
function checkServiceRange({ cidr, allocation_pools }: Subnet, services: readonly Service[]): readonly Finding[] {
  const what = "cluster IPs"
  const range = parseCidr(cidr)
  const addresses = services.flatMap(({ spec }) => (spec?.clusterIP && spec.clusterIP !== "None" ? [spec.clusterIP] : []))
  if (range === undefined || addresses.length === 0) return []
  const outside = addresses.filter((address) => !cidrContains(range, address))
  if (outside.length > 0)
    return [
      problem(
        what,
        `${outside.length} of ${addresses.length} are outside ${cidr}, ${outside[0]} among them`,
        "service_subnet has to hold the API server's --service-cluster-ip-range",
      ),
    ]
  const pooled = addresses.find((address) => allocation_pools.some(({ start, end }) => isBetween(address, start, end)))
  if (pooled === undefined) return [ok(what, `${addresses.length}, all in ${cidr} and out of its allocation pools`)]
  const advice =
    "keep the allocation pools of the subnet out of --service-cluster-ip-range: Octavia's own ports and gateways would take addresses of Services"
  return [note(what, `${pooled} is in an allocation pool of ${cidr}`, advice)]
}

function isBetween(address: string, start: string, end: string): boolean {
  const [one, from, to] = [address, start, end].map((text) => parseIp(text)?.value)
  return one !== undefined && from !== undefined && to !== undefined && one >= from && one <= to
}

async function checkRouter({ cloud, configuration, signal }: CloudChecks, subnets: readonly Subnet[]): Promise<Finding> {
  const what = "router"
  if (configuration.memberMode === "L2") return ok(what, "not needed: members are in the subnet of the pods")
  try {
    const owners = ["network:router_interface", "network:router_interface_distributed", "network:ha_router_replicated_interface"]
    const joined = await Promise.all(
      subnets.map(({ id }) => cloud.neutron.ports.list({ device_owner: owners, fixed_ips: [`subnet_id=${id}`] }, { signal })),
    )
    const [first = [], second = []] = joined.map((ports) => ports.map(({ device_id }) => device_id))
    const both = first.find((router) => second.includes(router))
    if (both !== undefined) return ok(what, `${both} joins pods and Services`)
    return problem(
      what,
      "no router joins the subnets of pods and Services",
      "openstack router add subnet ROUTER SUBNET, for both; or set [octavia_defaults] member_mode = L2",
    )
  } catch (error) {
    return problem(what, messageOf(error), "see whether `openstack router list` answers")
  }
}

async function checkOutside({ cloud, signal }: CloudChecks, id: string): Promise<Finding> {
  const what = "external_svc_net"
  try {
    const found = await cloud.neutron.networks.find(id, { signal })
    if (found?.["router:external"]) return ok(what, `${found.name} (${id})`)
    const others = found === undefined ? await namesakes(cloud.neutron.networks, id, signal) : ""
    const why = found === undefined ? `there is no network ${id}${others}` : `${found.name} is not an external network`
    return problem(what, why, "`openstack network list --external` has those that give floating IPs")
  } catch (error) {
    return problem(what, messageOf(error), "see whether `openstack network list --external` answers")
  }
}
