import { type Lease, leases } from "@pilothouse/api/coordination/v1"
import { type Service, services } from "@pilothouse/api/core/v1"
import { handlerNames, Reachability, specAnnotation } from "@pilothouse/openstack"
import type { Client } from "@pilothouse/runtime"
import { type Clock, messageOf } from "@pilothouse/seams"
import { type Finding, note, ok, problem } from "../../doctor/check.ts"
import { checkAccess, ofCloud } from "./access-checks.ts"
import { type CloudChecks, checkQuotas, checkVersions } from "./cloud-checks.ts"
import { namesakes } from "./namesakes.ts"
import { checkNetworks } from "./network-checks.ts"

export interface DoctorChecks extends CloudChecks {
  readonly clock: Clock
  /** To the cluster, where there is one: without it only the cloud is looked at. */
  readonly client?: Client
  /** Its address, for messages. */
  readonly server?: string
  /** Options that stand more than once. */
  readonly repeated?: readonly string[]
}

/** What takes a cluster to be compared with. */
const ofCluster = ["cluster IPs", "ports of Services", "owners of load balancers"]

/** The cloud and the cluster on it, from the ground up: what is wrong below makes what stands on it not worth asking. */
export async function examine(checks: DoctorChecks): Promise<readonly Finding[]> {
  const options = checkOptions(checks)
  const access = await checkAccess(checks)
  const closed = access.find(({ what, state }) => what === "credentials" && state === "problem")
  if (closed !== undefined) return [...options, { ...closed, notMade: [...ofCloud, ...ofCluster] }]
  const versions = await checkVersions(checks, notMadeIn(access))
  const notMade = notMadeIn([...access, ...versions])
  const { found, finding } = await servicesOf(checks)
  const parts = await Promise.all([
    notMade.includes("subnets") ? [] : checkNetworks(checks, found),
    notMade.includes("pod_security_groups") ? [] : checkGroups(checks, found),
    notMade.includes("quotas") ? [] : checkQuotas(checks),
    found === undefined || notMade.includes("owners of load balancers") ? [] : checkOwnersOf(checks, found),
  ])
  const [networks, groups, quotas, owners] = parts
  return [...options, ...access, ...versions, ...networks, ...groups, ...quotas, finding, ...owners]
}

/** What was written and has no effect. */
function checkOptions({ configuration, repeated = [] }: DoctorChecks): readonly Finding[] {
  const twice = repeated.map((option) => note("options", `${option} stands there more than once`, "the last one counts: remove the others"))
  const unknown = configuration.unknown.map((option) => note("options", `means nothing here: ${option}`, "mend or remove it"))
  return [...checkHandlers(configuration.enabledHandlers), ...unknown, ...twice]
}

/** `run --openstack` refuses to start with another one. */
function checkHandlers(enabled: readonly string[]): readonly Finding[] {
  const others = enabled.filter((name) => !handlerNames.includes(name))
  const advice = `remove what is not among ${handlerNames.join(", ")}`
  return others.length === 0 ? [] : [problem("enabled_handlers", `there is no handler ${others.join(", ")}`, advice)]
}

function notMadeIn(findings: readonly Finding[]): readonly string[] {
  return findings.flatMap((one) => one.notMade ?? [])
}

interface Cluster {
  /** Undefined where they could not be read. */
  readonly found?: readonly Service[]
  readonly finding: Finding
}

/** A cluster is optional; one that is named has to answer. */
async function servicesOf({ client, server = "the API server", signal }: DoctorChecks): Promise<Cluster> {
  if (client === undefined)
    return { finding: { ...note("cluster", "none was named", "--kubeconfig names the one that is on this cloud"), notMade: ofCluster } }
  try {
    const { items } = await client.list(services, { signal })
    return { found: items, finding: ok("cluster", `${items.length} Service${items.length === 1 ? "" : "s"} at ${server}`) }
  } catch (error) {
    const advice = `see whether \`kubectl get services -A\` answers there; --kubeconfig and --context name another cluster`
    return { finding: { ...problem("cluster", `${server} cannot be read: ${messageOf(error)}`, advice), notMade: ofCluster } }
  }
}

async function checkOwnersOf({ client, cloud, signal }: DoctorChecks, found: readonly Service[]): Promise<readonly Finding[]> {
  if (client === undefined) return []
  const what = "owners of load balancers"
  try {
    const [{ items }, balancers] = await Promise.all([
      client.list(leases, { namespace: "kube-system", signal }),
      cloud.octavia.loadBalancers.list({}, { signal }),
    ])
    return [checkOwners({ services: found, leases: items, balancers: balancers.map(({ name }) => name) })]
  } catch (error) {
    const advice = "Leases of kube-system and load balancers of the project have to be readable"
    return [{ ...problem(what, messageOf(error), advice), notMade: [what] }]
  }
}

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

interface OwnersFound {
  readonly services: readonly Service[]
  /** Of kube-system. */
  readonly leases: readonly Lease[]
  /** Names of the load balancers in the project. */
  readonly balancers: readonly string[]
}

const what = "owners of load balancers"
/** What cloud-provider-openstack writes on a Service that it has a load balancer for. */
const idAnnotation = "loadbalancer.openstack.org/load-balancer-id"
const advice =
  "a Service of type LoadBalancer has one owner: run the handlers (--openstack), or a cloud controller with Octavia ([LoadBalancer] enabled = true, --cloud-provider openstack), not both; then delete the second tree, `openstack loadbalancer delete --cascade`"

/** Pure: whether two programs make load balancers for the same Services. */
export function checkOwners({ services, leases, balancers }: OwnersFound): Finding {
  const ours = services.filter(
    ({ spec, metadata }) => spec?.type === "LoadBalancer" && metadata.annotations?.[specAnnotation] !== undefined,
  )
  const twice = ours.filter((service) => service.metadata.annotations?.[idAnnotation] !== undefined || hasTree(service, balancers))
  if (twice.length > 0) {
    const names = twice.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(", ")
    return problem(what, `both the handlers and a cloud controller have made a load balancer for ${names}`, advice)
  }
  const other = leases.find(({ metadata, spec }) => metadata.name === "cloud-controller-manager" && spec?.holderIdentity)
  if (other !== undefined && isHeld(leases, "kuryr-controller"))
    return problem(what, `the handlers and a cloud controller (${other.spec?.holderIdentity}) both hold a Lease`, advice)
  if (other !== undefined)
    return note(
      what,
      `a cloud controller (${other.spec?.holderIdentity}) holds a Lease`,
      "switch its load balancers off before the handlers run",
    )
  return ok(what, ours.length === 0 ? "one at most" : `the handlers, for ${ours.length} Service${ours.length === 1 ? "" : "s"}`)
}

function hasTree({ metadata }: Service, balancers: readonly string[]): boolean {
  const end = `_${metadata.namespace}_${metadata.name}`
  return balancers.some((name) => name.startsWith("kube_service_") && (name.endsWith(end) || name.includes(`${end}_`)))
}

function isHeld(leases: readonly Lease[], name: string): boolean {
  return leases.some(({ metadata, spec }) => metadata.name === name && spec?.holderIdentity !== undefined && spec.holderIdentity !== "")
}
