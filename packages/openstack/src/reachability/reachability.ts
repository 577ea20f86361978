import { type Cidr, isSubnet, parseCidrOrIp } from "@pilothouse/api/net"
import { abortable, type Clock } from "@pilothouse/seams"
import type { Neutron } from "../clients/neutron/neutron.ts"
import type { SecurityGroupRule } from "../clients/neutron/types.ts"

/** Milliseconds that the rules of a group are believed. */
const trustPeriod = 300_000
/** For one read: the load balancer whose traffic this is about waits for it. */
const readTimeout = "5s"

interface Known {
  readonly rules: Promise<readonly SecurityGroupRule[]>
  readonly at: number
}

/**
 * Whether load balancers reach the pods behind them: the security groups of pods have to let in what comes from the balancer's subnet.
 * Invariant: #known has the rules of groups that were read lately; a failed read is repeated.
 */
export class Reachability {
  readonly #neutron: Pick<Neutron, "securityGroups">
  readonly #clock: Clock
  readonly #known = new Map<string, Known>()

  constructor(neutron: Pick<Neutron, "securityGroups">, clock: Clock) {
    this.#neutron = neutron
    this.#clock = clock
  }

  /** What would be dropped, and the rule that is missing. Groups that are not there are another check's business. */
  async missing(
    groups: readonly string[],
    traffic: readonly Traffic[],
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<readonly string[]> {
    const [first] = groups
    if (first === undefined) return []
    const reads = Promise.all(groups.map((group) => this.#groupRules(group)))
    const rules = (await abortable(reads, signal)).flat()
    const refusals = traffic.flatMap((one) => whyRefused(rules, one, first) ?? [])
    return [...new Set(refusals)]
  }

  /** The first caller may abort while others wait for the same rules: the read goes on. */
  #groupRules(group: string): Promise<readonly SecurityGroupRule[]> {
    const now = this.#clock.elapsed()
    const known = this.#known.get(group)
    if (known !== undefined && now - known.at < trustPeriod) return known.rules
    const rules = this.#neutron.securityGroups.find(group, { timeout: readTimeout }).then((found) => found?.security_group_rules ?? [])
    this.#known.set(group, { rules, at: now })
    rules.catch(() => this.#known.delete(group))
    return rules
  }
}

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
  // The ports that carry the balancer's traffic are in groups of Octavia's own.
  return rule.remote_group_id === null && covers(rule.remote_ip_prefix, from)
}

/** No prefix: everywhere. */
function covers(prefix: string | null, from: Cidr): boolean {
  const range = prefix === null ? undefined : parseCidrOrIp(prefix)
  return range === undefined || isSubnet(from, range)
}
