import { deepEqual, quotaNamesFor } from "@pilothouse/api"
import { type ResourceQuota, resourceQuotas } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { classesFor } from "./devices.ts"
import { isCounted } from "./observe.ts"

/** Before everything that is only counted again. */
const first = 100

/**
 * A quota whose status does not have its limits, or lacks the usage of one that can be counted, lets nobody make anything:
 * it does not wait behind those that are counted again.
 */
export function priorityOf(key: string, read: Reader): number | undefined {
  const quota = read.get(resourceQuotas, key)
  return quota !== undefined && lacksUsage(quota, read) ? first : undefined
}

function lacksUsage({ spec, status }: ResourceQuota, read: Reader): boolean {
  const hard = spec?.hard ?? {}
  if (!deepEqual(hard, status?.hard ?? {})) return true
  const missing = Object.keys(hard).filter((name) => status?.used?.[name] === undefined)
  return missing.length > 0 && read.kinds().some(({ of }) => isCounted(of) && quotaNamesFor(of, missing, classesFor(of, read)).length > 0)
}
