import { freeQuotas, isRefusal, type KuryrConfiguration, type OpenStack } from "@pilothouse/openstack"
import { messageOf } from "@pilothouse/seams"
import { type Finding, note, ok, problem } from "../../doctor/check.ts"

export interface CloudChecks {
  readonly cloud: OpenStack
  readonly configuration: KuryrConfiguration
  /** The kuryr.conf that was found by itself: what `up --openstack` left here. */
  readonly foundHere?: string
  readonly signal: AbortSignal
}

/** Checks for what the handlers use and older services do not have. */
export async function checkVersions(checks: CloudChecks, notMade: readonly string[]): Promise<readonly Finding[]> {
  const asked = [...(notMade.includes("Neutron") ? [] : [neutronFinding]), ...(notMade.includes("Octavia") ? [] : [octaviaFinding])]
  return Promise.all(asked.map((ask) => ask(checks)))
}

/** What is asked of each service: where it does not answer, the same answer need not be read ten times. */
export const ofNeutron = ["subnets", "router", "external_svc_net", "pod_security_groups", "quotas", "cluster IPs", "ports of Services"]
export const ofOctavia = ["quotas", "owners of load balancers"]

/** A user without the right to list extensions may still list subnets. */
function away(finding: Finding, error: unknown, notMade: readonly string[]): Finding {
  return isRefusal(error, "forbidden") ? finding : { ...finding, notMade }
}

async function neutronFinding({ cloud, configuration, signal }: CloudChecks): Promise<Finding> {
  try {
    const there = await cloud.neutron.extensions({ signal })
    const needed = configuration.podVifDriver === "nested-vlan" ? ["security-group", "trunk"] : ["security-group"]
    const missing = needed.filter((alias) => !there.has(alias))
    if (missing.length === 0) return ok("Neutron", `${there.size} extensions, ${needed.join(" and ")} among them`)
    return problem("Neutron", `without ${missing.join(", ")}`, "enable the service plugin, or choose another pod_vif_driver")
  } catch (error) {
    return away(problem("Neutron", messageOf(error), "see whether `openstack extension list --network` answers"), error, ofNeutron)
  }
}

async function octaviaFinding({ cloud, signal }: CloudChecks): Promise<Finding> {
  try {
    if (cloud.octavia.flavour === "neutron-lbaas")
      return note("load balancing", "neutron-lbaas", "it is retired: trees are made step by step; move to Octavia")
    const minor = await cloud.octavia.minorVersion({ signal })
    const lacks = [
      [5, "tags (descriptions say whose load balancers are)"],
      [12, "source ranges"],
    ].flatMap(([from, what]) => (minor < Number(from) ? [String(what)] : []))
    if (lacks.length === 0) return ok("Octavia", `v2.${minor}`)
    return note("Octavia", `v2.${minor}, without ${lacks.join(" and ")}`, "upgrade Octavia to Train or newer")
  } catch (error) {
    return away(problem("Octavia", messageOf(error), "see whether `openstack loadbalancer list` answers"), error, ofOctavia)
  }
}

/** Fewer than this left is worth a word before pods have to wait. */
const few = 10

/** As OpenStack's own client takes it, whose names are others than those of the API; the project comes last, and may not be left out. */
const raising: Readonly<Record<string, string>> = {
  floatingip: "quota set --floating-ips",
  security_group: "quota set --secgroups",
  security_group_rule: "quota set --secgroup-rules",
  load_balancer: "loadbalancer quota set --loadbalancer",
}

/** Reports what is left of each quota of the project; few or none is a finding with advice. */
export async function checkQuotas({ cloud, configuration, signal }: CloudChecks): Promise<readonly Finding[]> {
  try {
    const all = await freeQuotas(cloud, configuration.project, signal)
    return all.map(({ resource, limit, free }) => {
      const what = `quota: ${resource}`
      if (free === undefined) return ok(what, "no limit")
      const found = `${free} of ${limit} left`
      const advice = `remove what is not needed ("pilothouse openstack orphans"), or have it raised: openstack ${raising[resource] ?? `quota set --${resource}s`} N ${configuration.project}`
      if (free === 0) return problem(what, found, advice)
      return free < few ? note(what, found, advice) : ok(what, found)
    })
  } catch (error) {
    return [problem("quota", messageOf(error), "the project may have to be read by its own user or an administrator")]
  }
}
