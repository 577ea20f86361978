import type { Pod } from "../generated/core/v1.types.ts"
import { isPodTerminal } from "../pods/pod-phase.ts"
import { podLimits, podRequests } from "../pods/pod-resources.ts"
import { type Amount, amountOf } from "../quantity/amount.ts"
import { secondsInMilliseconds } from "../quantity/int64.ts"
import type { Resources } from "../quantity/resource-list.ts"
import { parseTime } from "../text/time.ts"
import { implicitDevices, isExtendedResource } from "./extended-resource.ts"

const compute: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"])

/** A pod that is over uses nothing; nor does one that should long be gone: a lost node must not keep a namespace from making new ones. */
export function podUsage(pod: Pod, now: number): Resources {
  const used = new Map<string, Amount>()
  if (isPodTerminal(pod) || shouldBeGone(pod, now)) return used
  used.set("pods", amountOf(1))
  for (const [name, amount] of podRequests(pod, { withStatus: true })) {
    const both = compute.has(name) || name.startsWith("hugepages-")
    if (both) used.set(name, amount)
    if (both || name.startsWith(implicitDevices) || isExtendedResource(name)) used.set(`requests.${name}`, amount)
  }
  for (const [name, amount] of podLimits(pod, { withStatus: true })) if (compute.has(name)) used.set(`limits.${name}`, amount)
  return used
}

function shouldBeGone({ metadata }: Pod, now: number): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false
  return now > parseTime(deletionTimestamp) + secondsInMilliseconds(deletionGracePeriodSeconds)
}
