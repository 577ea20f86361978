import { isDeviceClaim, type KubeObject, quotaUsage, type Resources } from "@pilothouse/api"

export type UsageOf = typeof quotaUsage

/**
 * What an object uses, worked out once for each version of it: a namespace is counted again with every pod that goes, and most of its pods are as they were.
 * Objects in caches never change, so a version stands for its usage; of what is being deleted the time decides, of claims of devices their class and
 * their pod, and it is worked out each time.
 */
export function rememberedUsage(usageOf: UsageOf = quotaUsage): UsageOf {
  const known = new WeakMap<KubeObject, Resources>()
  return (kind, object, now, facts) => {
    if (isDeviceClaim(kind)) return usageOf(kind, object, now, facts)
    const remembered = known.get(object)
    if (remembered !== undefined) return remembered
    const usage = usageOf(kind, object, now, facts)
    if (object.metadata.deletionTimestamp === undefined) known.set(object, usage)
    return usage
  }
}
