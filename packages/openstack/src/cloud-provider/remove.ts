import { CloudError } from "@pilothouse/cloud"
import type { LoadBalancer } from "../clients/octavia/types.ts"
import { type ApplyPlace, deleteListener } from "./apply.ts"
import { isOwn } from "./decide.ts"
import { findListeners } from "./observe.ts"
import type { Sharing } from "./sharing.ts"
import { writeTags } from "./write-tags.ts"

/** With everything below it: in one call, or piece by piece where the provider cannot do that. One in ERROR takes no change but that it goes. */
export async function deleteBalancer(place: ApplyPlace, cascade = true): Promise<void> {
  const { cloud, id, signal } = place
  const settled = await cloud.polls.untilChangeable(id, { signal })
  if (settled === undefined) return
  const atOnce = cascade || settled.provisioning_status === "ERROR"
  if (!atOnce) {
    for (const one of await findListeners(cloud, place, signal)) await deleteListener(place, one)
    await cloud.polls.untilActive(id, { signal })
  }
  await cloud.octavia.loadBalancers.delete(id, { cascade: atOnce, signal })
  await cloud.polls.untilGone(id, { signal })
  if ((await cloud.octavia.loadBalancers.find(id, { signal })) !== undefined)
    throw new CloudError(`expected load balancer ${settled.name} to be gone`)
}

/** A balancer that others use: only the Service's own listeners go, and its tag. */
export async function leaveBalancer(place: ApplyPlace, { own }: Pick<Sharing, "own">): Promise<void> {
  for (const one of await findListeners(place.cloud, place, place.signal))
    if (isOwn(one.listener, { own, isOwner: false })) await deleteListener(place, one)
  await writeTags(place, ({ tags }: LoadBalancer) => {
    const rest = tags.filter((tag) => !own.includes(tag))
    return rest.length < tags.length ? rest : undefined
  })
}
