import type { Service } from "@pilothouse/api/core/v1"

/** Returns upstream's default name of a Service's balancer: "a" and its UID without dashes, at most 32 characters. */
export function defaultBalancerName({ metadata }: Service): string {
  return `a${(metadata.uid ?? "").replaceAll("-", "")}`.slice(0, 32)
}
