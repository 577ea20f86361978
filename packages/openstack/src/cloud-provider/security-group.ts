import type { Node, Service } from "@pilothouse/api/core/v1"
import { isRefusal } from "../clients/calls/errors.ts"
import type { OpenStack } from "../clients/cloud.ts"
import type { NewSecurityGroupRule, Port, SecurityGroup, SecurityGroupRule } from "../clients/neutron/types.ts"
import { nodeAddress } from "./desired-listeners.ts"
import { sourceRanges } from "./source-ranges.ts"

interface GroupPlace {
  readonly cloud: OpenStack
  readonly cluster: string
  readonly service: Service
  readonly signal: AbortSignal
}

interface SecurityGroupRequest {
  readonly nodes: readonly Node[]
  readonly memberSubnet: string
  readonly provider?: string
}

type Rule = Pick<SecurityGroupRule, "ethertype" | "protocol" | "port_range_min" | "remote_ip_prefix">

function groupName({ metadata }: Service): string {
  return `lb-sg-${metadata.uid}-${metadata.namespace}-${metadata.name}`
}

/** Lets the balancer reach the node ports: a group with a rule for each, on the ports of the nodes that are members. True: something was changed. */
export async function ensureGroup(place: GroupPlace, request: SecurityGroupRequest): Promise<boolean> {
  const { cloud, service, signal } = place
  const { neutron } = cloud
  const { cidr } = await neutron.subnets.get(request.memberSubnet, { signal })
  const [found] = await neutron.securityGroups.list({ name: groupName(service) }, { signal })
  const group = found ?? (await neutron.securityGroups.create({ name: groupName(service), description: wordsOn(place) }, { signal }))
  const changed = await ensureRules(place, group, desiredRules(service, cidr, request.provider))
  const addresses = new Set(request.nodes.flatMap((node) => nodeAddress(node, service.spec?.ipFamilies?.[0]) ?? []))
  return (await changeGroups(cloud, group.id, { subnet: request.memberSubnet, addresses }, signal)) || changed || found === undefined
}

/** Succeeds where there is none. */
export async function removeGroup({ cloud, service, signal }: Omit<GroupPlace, "cluster">): Promise<void> {
  const [found] = await cloud.neutron.securityGroups.list({ name: groupName(service) }, { signal })
  if (found === undefined) return
  await changeGroups(cloud, found.id, undefined, signal)
  await cloud.neutron.securityGroups.delete(found.id, { signal })
}

function wordsOn({ service: { metadata }, cluster }: GroupPlace): string {
  return `Security Group for ${metadata.namespace}/${metadata.name} Service LoadBalancer in cluster ${cluster}`
}

/** Pure. OVN leaves clients their addresses: they come from wherever the Service lets them come from. */
export function desiredRules(service: Service, memberCidr: string, provider?: string): readonly Rule[] {
  const { ports = [], healthCheckNodePort } = service.spec ?? {}
  const ethertype = memberCidr.includes(":") ? "IPv6" : "IPv4"
  const from = provider === "ovn" ? sourceRanges(service) : [memberCidr]
  const rule = (protocol: string, port: number, remote_ip_prefix: string): Rule => ({
    ethertype,
    protocol: protocol.toLowerCase(),
    port_range_min: port,
    remote_ip_prefix,
  })
  const opened = ports.flatMap(({ nodePort, protocol = "TCP" }) => (nodePort ? from.map((range) => rule(protocol, nodePort, range)) : []))
  return healthCheckNodePort ? [...opened, rule("TCP", healthCheckNodePort, memberCidr)] : opened
}

async function ensureRules({ cloud, signal }: GroupPlace, group: SecurityGroup, desired: readonly Rule[]): Promise<boolean> {
  const key = (rule: Rule) => `${rule.ethertype} ${rule.protocol} ${rule.port_range_min} ${rule.remote_ip_prefix}`
  const there = group.security_group_rules.filter(({ direction }) => direction === "ingress")
  const missing = desired.filter((rule) => !there.some((one) => key(one) === key(rule)))
  const surplus = there.filter((rule) => !desired.some((one) => key(one) === key(rule)))
  const rules = cloud.neutron.securityGroupRules
  for (const rule of missing) {
    const body: NewSecurityGroupRule = { ...rule, security_group_id: group.id, direction: "ingress", port_range_max: rule.port_range_min }
    await rules.create(body, { signal })
  }
  for (const { id } of surplus) await rules.delete(id, { signal })
  return missing.length + surplus.length > 0
}

/** How often the list is read and written again when another client changes it at the same time. */
const maxTries = 10

interface GroupMembers {
  readonly subnet: string
  /** In that subnet. */
  readonly addresses: ReadonlySet<string>
}

/**
 * Puts a group on the ports with an address of a member, and takes it off all others; undefined: off all. Ports without port security take no groups.
 * True: something was changed.
 */
async function changeGroups(
  { neutron }: OpenStack,
  group: string,
  members: GroupMembers | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const isMember = ({ fixed_ips }: Port) =>
    members !== undefined &&
    fixed_ips.some(({ ip_address, subnet_id }) => subnet_id === members.subnet && members.addresses.has(ip_address))
  const filters = [{ security_groups: [group] }, ...(members === undefined ? [] : [{ fixed_ips: [`subnet_id=${members.subnet}`] }])]
  const found = (await Promise.all(filters.map((filter) => neutron.ports.list(filter, { signal })))).flat()
  const all = [...new Map(found.map((port) => [port.id, port])).values()]
  const wrong = all.filter((port) => port.port_security_enabled !== false && isMember(port) !== port.security_groups.includes(group))
  for (const { id } of wrong) await changeOne({ neutron }, id, group, isMember, signal)
  return wrong.length > 0
}

async function changeOne(
  { neutron }: Pick<OpenStack, "neutron">,
  id: string,
  group: string,
  isMember: (port: Port) => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const port = await neutron.ports.find(id, { signal })
    if (port === undefined || isMember(port) === port.security_groups.includes(group)) return
    const rest = port.security_groups.filter((one) => one !== group)
    const security_groups = isMember(port) ? [...rest, group] : rest
    try {
      await neutron.ports.update(id, { security_groups }, { ifRevision: port.revision_number, signal })
      return
    } catch (error) {
      if (tries === maxTries || !isRefusal(error, "stale")) throw error
    }
  }
}
