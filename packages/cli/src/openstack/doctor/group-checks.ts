import type { Service } from "@pilothouse/api/core/v1"
import { Reachability } from "@pilothouse/openstack"
import { type Clock, messageOf } from "@pilothouse/seams"
import { type Finding, ok, problem } from "../../doctor/check.ts"
import type { CloudChecks } from "./cloud-checks.ts"
import { namesakes } from "./namesakes.ts"

/** Groups exist, and let the balancers' subnet reach the ports that pods are served on. */
export async function checkGroups(
  checks: CloudChecks & { readonly clock: Clock },
  services: readonly Service[] | undefined,
): Promise<readonly Finding[]> {
  const { cloud, configuration, signal, clock } = checks
  const { podSecurityGroups: groups, memberMode } = configuration
  const what = "pod_security_groups"
  const notMade = ["ports of Services"]
  try {
    const found = await Promise.all(groups.map((id) => cloud.neutron.securityGroups.find(id, { signal })))
    const missing = groups.filter((_, at) => found[at] === undefined)
    if (missing.length > 0) {
      const others = await Promise.all(missing.map((id) => namesakes(cloud.neutron.securityGroups, id, signal)))
      const advice = "`openstack security group list` has those of the project: set it to their IDs"
      return [
        { ...problem(what, `there is no security group ${missing.map((id, at) => `${id}${others[at]}`).join(", ")}`, advice), notMade },
      ]
    }
    const subnet = await cloud.neutron.subnets.find(memberMode === "L2" ? configuration.podSubnet : configuration.serviceSubnet, { signal })
    const names = found.map((one) => one?.name).join(", ")
    if (subnet === undefined) return [{ ...ok(what, names), notMade }]
    const traffic = targetPorts(services ?? []).map(({ protocol, port }) => ({ from: subnet.cidr, protocol, port }))
    const refused = await new Reachability(cloud.neutron, clock).missing(groups, traffic, { signal })
    if (refused.length === 0) return [ok(what, `${names}: load balancers reach ${services === undefined ? "port 80 of pods" : "the pods"}`)]
    return refused.map((why) => problem(what, `load balancers do not reach pods: ${why.split(": ")[0]}`, why.slice(why.indexOf("`"))))
  } catch (error) {
    return [problem(what, messageOf(error), "see whether `openstack security group list` answers")]
  }
}

/** Named ports are looked up by the pods' side: 80 stands for a name. */
function targetPorts(services: readonly Service[]): readonly { readonly protocol: string; readonly port: number }[] {
  const all = services.flatMap(({ spec }) =>
    (spec?.selector === undefined ? [] : (spec.ports ?? [])).map(({ protocol = "TCP", port, targetPort }) => ({
      protocol,
      port: typeof targetPort === "number" ? targetPort : port,
    })),
  )
  const known = all.length === 0 ? [{ protocol: "TCP", port: 80 }] : all
  return [...new Map(known.map((one) => [`${one.protocol} ${one.port}`, one])).values()]
}
