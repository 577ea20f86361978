import { leases } from "@pilothouse/api/coordination/v1"
import { type Service, services } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { type Clock, messageOf } from "@pilothouse/seams"
import { type Finding, note, ok, problem } from "../../doctor/check.ts"
import { checkAccess, ofCloud } from "./access-checks.ts"
import { type CloudChecks, checkQuotas, checkVersions } from "./cloud-checks.ts"
import { checkGroups } from "./group-checks.ts"
import { checkNetworks } from "./network-checks.ts"
import { checkOwners } from "./owner-checks.ts"

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
  return [...configuration.unknown.map((option) => note("options", `means nothing here: ${option}`, "mend or remove it")), ...twice]
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
