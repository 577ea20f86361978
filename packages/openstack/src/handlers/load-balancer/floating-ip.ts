import { PilothouseError } from "@pilothouse/seams"
import type { OpenStack } from "../../clients/cloud.ts"
import type { FloatingIp } from "../../clients/neutron/types.ts"
import { type ClusterMarks, isOfCluster, markDescription } from "../../drivers/creation/cluster-marks.ts"
import type { AttachFloating } from "./operations.ts"

export interface FloatingOptions {
  readonly cloud: Pick<OpenStack, "neutron">
  readonly clusterMarks: ClusterMarks
}

/** Attaches the address that the Service requests if it is free, else a new one. Searches before it creates: a detached one of its own is used. */
export async function attachFloating(
  { cloud: { neutron }, clusterMarks }: FloatingOptions,
  { port, tree, floating }: AttachFloating,
  signal: AbortSignal,
): Promise<FloatingIp> {
  const { network, subnet, address } = floating
  if (address !== undefined) {
    const [asked] = await neutron.floatingIps.list({ floating_network_id: network, floating_ip_address: address }, { signal })
    if (asked === undefined)
      throw new PilothouseError(
        "CLOUD",
        `expected the floating IP ${address} in the network ${network}, found none; make it, or ask for another`,
      )
    if (asked.port_id !== null && asked.port_id !== port)
      throw new PilothouseError("CLOUD", `the floating IP ${address} is used by another port, ${asked.port_id}`)
    return neutron.floatingIps.update(asked.id, { port_id: port }, { signal })
  }
  // Its description names the owner from the start: tags would come later, and a crash may come before them.
  const description = markDescription(clusterMarks, tree.owner)
  const [mine] = (await neutron.floatingIps.list({ floating_network_id: network, description }, { signal })).filter(
    ({ port_id }) => port_id === null || port_id === port,
  )
  if (mine !== undefined) return mine.port_id === port ? mine : neutron.floatingIps.update(mine.id, { port_id: port }, { signal })
  const desired = {
    floating_network_id: network,
    project_id: tree.project,
    port_id: port,
    description,
    ...(subnet && { subnet_id: subnet }),
  }
  return neutron.floatingIps.create(desired, { signal })
}

/** The description that kuryr writes on one that it takes from the pool, and releases with its Service. */
const kuryrsOwn = "kuryr_lb"

export function isKuryrsOwn({ description }: FloatingIp): boolean {
  return description === kuryrsOwn
}

/** Marks one of kuryr's as the Service's: so it is found when its load balancer is created again, and when its Service is deleted. */
export function takeOverFloating(
  { cloud: { neutron }, clusterMarks }: FloatingOptions,
  id: string,
  owner: string,
  signal: AbortSignal,
): Promise<FloatingIp> {
  return neutron.floatingIps.update(id, { description: markDescription(clusterMarks, owner) }, { signal })
}

/** Deletes one that was created here, or by kuryr; one that a user brought is only detached. */
export async function releaseFloating(
  { cloud: { neutron }, clusterMarks }: FloatingOptions,
  floating: FloatingIp,
  signal: AbortSignal,
): Promise<void> {
  if (isOfCluster(floating, clusterMarks) || isKuryrsOwn(floating)) await neutron.floatingIps.delete(floating.id, { signal })
  else if ((await neutron.floatingIps.find(floating.id, { signal })) !== undefined)
    await neutron.floatingIps.update(floating.id, { port_id: null }, { signal })
}
