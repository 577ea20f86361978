import { CloudError } from "@pilothouse/cloud"
import type { LoadBalancer } from "../clients/octavia/types.ts"
import type { ApplyPlace } from "./apply.ts"
import type { ServiceOptions } from "./service-options.ts"

const prefix = "kube_service_"

export interface Sharing {
  readonly balancer: Pick<LoadBalancer, "id" | "name" | "tags" | "provisioning_status">
  /** The names that the balancer of the Service has, or had before it was taken over or its cluster had this name. The first is its tag. */
  readonly own: readonly string[]
  /** The names of its cluster: the one it has, and the one it had when the balancer was made, where that is another. */
  readonly clusters: readonly string[]
}

/** The Service created it; otherwise its annotation names a balancer of another Service or user, which it shares. */
export function isOwner({ balancer, own }: Sharing): boolean {
  return own.includes(balancer.name)
}

/** The tags of the other Services that use it. */
export function others({ balancer, own }: Pick<Sharing, "balancer" | "own">): readonly string[] {
  return balancer.tags.filter((tag) => tag.startsWith(prefix) && !own.includes(tag))
}

/** Reports whether it is deleted with the Service: no other Service uses it, and no user created it. The last Service of a shared one deletes it. */
export function goesWith(sharing: Sharing): boolean {
  const { balancer, clusters } = sharing
  return others(sharing).length === 0 && clusters.some((cluster) => balancer.name.startsWith(`${prefix}${cluster}_`))
}

/** Throws where the Service may not share the balancer that it names. */
export function checkSharing(sharing: Sharing, { internal }: ServiceOptions, max: number, hasTags: boolean): void {
  const { balancer, own } = sharing
  if (isOwner(sharing)) return
  const refuse = (message: string) => new CloudError(message, { retryable: false })
  if (!hasTags) throw refuse("shared load balancer is only supported with the tag feature in the cloud load balancer service")
  const count = balancer.tags.filter((tag) => tag.startsWith(prefix)).length
  if (!own.some((name) => balancer.tags.includes(name)) && count + 1 > max)
    throw refuse(`load balancer ${balancer.id} already shared with ${count} Services`)
  // Its owner may become external, and would show it to the world.
  if (internal) throw refuse("internal Service cannot share a load balancer")
  if (balancer.provisioning_status === "ERROR")
    throw new CloudError(`load balancer ${balancer.id} is not ACTIVE, current provisioning status: ERROR; its owner has to mend it`)
}

/** The tags that it should have; undefined: it has them. */
export function desiredTags({ balancer, own }: Sharing): readonly string[] | undefined {
  const [tag = ""] = own
  const desired = [...balancer.tags.filter((one) => !own.includes(one)), tag]
  return desired.length === balancer.tags.length && balancer.tags.includes(tag) ? undefined : desired
}

/**
 * New tags, made of those that the balancer has at this moment: others may have changed them while the caller was at work. Undefined: they are right.
 */
export async function writeTags(
  { cloud, id, signal }: ApplyPlace,
  change: (now: LoadBalancer) => readonly string[] | undefined,
): Promise<void> {
  const tags = change(await cloud.polls.untilActive(id, { signal }))
  if (tags === undefined) return
  await cloud.octavia.loadBalancers.update(id, { tags }, { signal })
  await cloud.polls.untilActive(id, { signal })
}
