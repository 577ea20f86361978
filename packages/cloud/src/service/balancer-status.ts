import { deepEqual } from "@pilothouse/api"
import type { LoadBalancerIngress, LoadBalancerStatus } from "@pilothouse/api/core/v1"

/** Reports whether two statuses are equal after defaulting: an API server defaults ipMode. */
export function isSameStatus(one: LoadBalancerStatus | undefined, other: LoadBalancerStatus | undefined): boolean {
  return deepEqual(comparable(one), comparable(other))
}

function comparable(status: LoadBalancerStatus | undefined): readonly LoadBalancerIngress[] {
  return (status?.ingress ?? []).map((ingress) => ({ ...ingress, ipMode: ingress.ipMode ?? (ingress.ip ? "VIP" : undefined) }))
}
