import type { ResourceClaim } from "../generated/resource/v1.types.ts"
import { type Amount, amountOf } from "../quantity/amount.ts"
import { addInt64 } from "../quantity/int64.ts"
import type { Resources } from "../quantity/resource-list.ts"
import type { Int64 } from "../quantity/scalars.ts"

/** After the name of a device class. */
export const devicesOfClass = ".deviceclass.resource.k8s.io/devices"

/** As many as one claim can be given: the worst that "All" can mean. */
const maxDevices = 32

interface Asked {
  readonly deviceClassName: string
  readonly allocationMode?: string
  readonly count?: Int64
}

/** The devices that a claim may be given, by their class. Of alternatives the dearest counts, for each class. */
export function deviceUsage({ spec }: ResourceClaim): Resources {
  const counts = new Map<string, Int64>()
  for (const { exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
    const alternatives: readonly Asked[] = firstAvailable.length > 0 ? firstAvailable : exactly === undefined ? [] : [exactly]
    for (const [name, count] of dearest(alternatives)) counts.set(name, addInt64(counts.get(name) ?? 0, count))
  }
  return new Map<string, Amount>([...counts].map(([name, count]) => [`${name}${devicesOfClass}`, amountOf(count)]))
}

function dearest(alternatives: readonly Asked[]): ReadonlyMap<string, Int64> {
  const counts = new Map<string, Int64>()
  for (const asked of alternatives) {
    const [known = 0, count] = [counts.get(asked.deviceClassName), countOf(asked)]
    counts.set(asked.deviceClassName, known > count ? known : count)
  }
  return counts
}

/** An unknown mode counts nothing, as upstream. */
function countOf({ allocationMode = "ExactCount", count = 1 }: Asked): Int64 {
  if (allocationMode === "All") return maxDevices
  return allocationMode === "ExactCount" ? count : 0
}
