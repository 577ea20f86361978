import { deepEqual, findCondition } from "@pilothouse/api"
import type { Pod, PodCondition, PodStatus } from "@pilothouse/api/core/v1"

/**
 * What of a status has to be written, as a strategic patch: conditions are merged by their type there, so that those of others stay.
 * Undefined: nothing.
 */
export function statusPatch({ metadata, status: old = {} }: Pod, next: PodStatus): object | undefined {
  const { conditions = [], ...fields } = next
  const changed = Object.entries(fields).filter(([name, value]) => !deepEqual(old[name as keyof PodStatus], value))
  const moved = conditions.flatMap((condition) => {
    const before = findCondition(old.conditions, condition.type)
    return deepEqual(before, condition) ? [] : [{ ...withoutWhatIsGone(before, condition), ...condition }]
  })
  if (changed.length === 0 && moved.length === 0) return undefined
  const gone = lost(old, next)
  const status = {
    ...Object.fromEntries(changed),
    ...(gone.length > 0 && { podIPs: [...(next.podIPs ?? []), ...gone] }),
    ...(moved.length > 0 && { conditions: moved }),
  }
  // With the uid a newer pod of the same name is left alone.
  return { metadata: { uid: metadata.uid }, status }
}

/** Addresses are merged by themselves: those that the pod has no longer have to be taken away. */
function lost({ podIPs: before = [] }: PodStatus, { podIPs = before }: PodStatus): readonly object[] {
  return before.filter(({ ip }) => !podIPs.some((one) => one.ip === ip)).map(({ ip }) => ({ $patch: "delete", ip }))
}

/** Fields that only the old one has, as nothing: merged, its reason and message would stay with a condition that has become true. */
function withoutWhatIsGone(old: PodCondition | undefined, next: PodCondition): Readonly<Record<string, null>> {
  return Object.fromEntries(
    Object.keys(old ?? {})
      .filter((name) => !(name in next))
      .map((name) => [name, null]),
  )
}
