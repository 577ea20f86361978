import type { Service } from "@pilothouse/api/core/v1"

/** What clouds have always called the balancer of a Service: "a" and its UID without dashes, 32 letters at most. */
export function defaultBalancerName({ metadata }: Service): string {
  return `a${(metadata.uid ?? "").replaceAll("-", "")}`.slice(0, 32)
}
