import { ownValue } from "@pilothouse/api"
import type { ResourceQuotaStatus } from "@pilothouse/api/core/v1"

/** "cpu: 1/4, pods: 3/10" */
export function quotaText(status: ResourceQuotaStatus | undefined, isShown: (resource: string) => boolean): string {
  return Object.keys(status?.hard ?? {})
    .filter(isShown)
    .sort()
    .map((resource) => `${resource}: ${ownValue(status?.used, resource) ?? 0}/${ownValue(status?.hard, resource)}`)
    .join(", ")
}
