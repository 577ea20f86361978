import { type Cidr, isSubnet, parseCidrOrIp } from "@pilothouse/api/net"
import type { SecurityGroupRule } from "../clients/neutron/types.ts"

/** Connections that have to get in. */
export interface Traffic {
  /** Where they come from: "10.96.0.0/12". */
  readonly from: string
  /** "TCP" */
  readonly protocol: string
  readonly port: number
}

/** Pure: why connections would be dropped, with the rule that lets them in; undefined where one of the rules does. No rules at all: no groups, no filter. */
export function whyRefused(rules: readonly SecurityGroupRule[], traffic: Traffic, group: string): string | undefined {
  const from = parseCidrOrIp(traffic.from)
  if (from === undefined || rules.some((rule) => admits(rule, traffic, from))) return undefined
  const protocol = traffic.protocol.toLowerCase()
  const family = from.family === 4 ? "" : " --ethertype IPv6"
  return `no rule lets ${traffic.from} reach ${protocol} ${traffic.port}: \`openstack security group rule create --ingress${family} --protocol ${protocol} --dst-port ${traffic.port} --remote-ip ${traffic.from} ${group}\``
}

function admits(rule: SecurityGroupRule, { protocol, port }: Traffic, from: Cidr): boolean {
  if (rule.direction !== "ingress" || rule.ethertype !== (from.family === 4 ? "IPv4" : "IPv6")) return false
  if (rule.protocol !== null && rule.protocol !== "any" && rule.protocol.toLowerCase() !== protocol.toLowerCase()) return false
  if (rule.port_range_min !== null && (port < rule.port_range_min || port > (rule.port_range_max ?? rule.port_range_min))) return false
  // Whoever carries the balancer's traffic is in groups of Octavia's own.
  return rule.remote_group_id === null && covers(rule.remote_ip_prefix, from)
}

/** No prefix: everywhere. */
function covers(prefix: string | null, from: Cidr): boolean {
  const range = prefix === null ? undefined : parseCidrOrIp(prefix)
  return range === undefined || isSubnet(from, range)
}
