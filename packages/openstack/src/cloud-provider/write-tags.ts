import type { LoadBalancer } from "../clients/octavia/types.ts"
import type { ApplyPlace } from "./apply.ts"

/** New tags, made of those that the balancer has at this moment: others may have changed them while the caller was at work. Undefined: they are right. */
export async function writeTags(
  { cloud, id, signal }: ApplyPlace,
  change: (now: LoadBalancer) => readonly string[] | undefined,
): Promise<void> {
  const tags = change(await cloud.polls.untilActive(id, { signal }))
  if (tags === undefined) return
  await cloud.octavia.loadBalancers.update(id, { tags }, { signal })
  await cloud.polls.untilActive(id, { signal })
}
