import type { OpenStack } from "../clients/cloud.ts"

export interface FreeQuota {
  readonly resource: string
  readonly limit: number
  /** Undefined: no limit. */
  readonly free?: number
}

/** What pods and Services are made of. */
const ofNeutron = ["port", "security_group", "security_group_rule", "floatingip"]

/** How many more of each resource the project may have. Octavia does not say what is used: its load balancers are counted. */
export async function freeQuotas(
  { neutron, octavia }: Pick<OpenStack, "neutron" | "octavia">,
  project: string,
  signal: AbortSignal,
): Promise<readonly FreeQuota[]> {
  const [network, balancing, balancers] = await Promise.all([
    neutron.quota(project, { signal }),
    octavia.quota(project, { signal }),
    octavia.loadBalancers.list({ project_id: project }, { signal }),
  ])
  const used = ofNeutron.flatMap((resource) => {
    const found = network[resource]
    return found === undefined ? [] : [toFreeQuota(resource, found.limit, found.used + found.reserved)]
  })
  return [...used, toFreeQuota("load_balancer", balancing.load_balancer ?? -1, balancers.length)]
}

function toFreeQuota(resource: string, limit: number, used: number): FreeQuota {
  return limit < 0 ? { resource, limit } : { resource, limit, free: Math.max(0, limit - used) }
}
