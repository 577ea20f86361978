import type { ResourceQuotaStatus } from "@pilothouse/api/core/v1"

/** "cpu: 1/4, pods: 3/10" */
export function quotaText(status: ResourceQuotaStatus | undefined, isShown: (resource: string) => boolean): string {
  return Object.keys(status?.hard ?? {})
    .filter(isShown)
    .sort()
    .map((resource) => `${resource}: ${status?.used?.[resource] ?? 0}/${status?.hard?.[resource]}`)
    .join(", ")
}
