import type { Pod } from "@pilothouse/api/core/v1"

/** Those above the threshold: evicted ones first (nobody misses them), then the oldest. */
export function surplusOf(pods: readonly Pod[], threshold: number): readonly Pod[] {
  if (threshold <= 0 || pods.length <= threshold) return []
  return [...pods].sort(firstToGo).slice(0, pods.length - threshold)
}

function firstToGo(a: Pod, b: Pod): number {
  return (
    Number(isEvicted(b)) - Number(isEvicted(a)) ||
    compare(createdAt(a), createdAt(b)) ||
    compare(a.metadata.name ?? "", b.metadata.name ?? "")
  )
}

function isEvicted({ status }: Pod): boolean {
  return status?.phase === "Failed" && status.reason === "Evicted"
}

/** Times of the server are all written alike, so that their texts are in order. */
function createdAt({ metadata }: Pod): string {
  return metadata.creationTimestamp ?? ""
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
