import { leases } from "@pilothouse/api/coordination/v1"
import { type Service, services } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { type Clock, messageOf } from "@pilothouse/seams"
import { type Finding, note, ok } from "../../doctor/check.ts"
import { type CloudChecks, checkAccess, checkQuotas, checkVersions } from "./cloud-checks.ts"
import { checkGroups, checkNetworks } from "./network-checks.ts"
import { checkOwners } from "./owner-checks.ts"

export interface DoctorChecks extends CloudChecks {
  readonly clock: Clock
  /** To the cluster, where there is one: without it only the cloud is looked at. */
  readonly client?: Client
}

/** The cloud and the cluster on it, from the ground up: what is wrong below makes what stands on it not worth asking. */
export async function examine(checks: DoctorChecks): Promise<readonly Finding[]> {
  const access = await checkAccess(checks)
  if (access.some(({ what, state }) => what === "credentials" && state === "problem")) return access
  const { found, finding } = await servicesOf(checks)
  const parts = await Promise.all([checkVersions(checks), checkNetworks(checks, found), checkGroups(checks, found), checkQuotas(checks)])
  return [...access, ...parts.flat(), finding, ...(await ownerFindings(checks, found))]
}

async function servicesOf({ client, signal }: DoctorChecks): Promise<{ readonly found: readonly Service[]; readonly finding: Finding }> {
  const advice = "--kubeconfig names the cluster; addresses of Services, their ports and their owners are not compared"
  if (client === undefined) return { found: [], finding: note("cluster", "not asked", advice) }
  try {
    const { items } = await client.list(services, { signal })
    return { found: items, finding: ok("cluster", `${items.length} Service${items.length === 1 ? "" : "s"}`) }
  } catch (error) {
    return { found: [], finding: note("cluster", messageOf(error), advice) }
  }
}

async function ownerFindings({ client, cloud, signal }: DoctorChecks, found: readonly Service[]): Promise<readonly Finding[]> {
  if (client === undefined) return []
  try {
    const [{ items }, balancers] = await Promise.all([
      client.list(leases, { namespace: "kube-system", signal }),
      cloud.octavia.loadBalancers.list({}, { signal }),
    ])
    return [checkOwners({ services: found, leases: items, balancers: balancers.map(({ name }) => name) })]
  } catch (error) {
    return [
      note("owners of load balancers", messageOf(error), "Leases of kube-system and load balancers of the project have to be readable"),
    ]
  }
}
