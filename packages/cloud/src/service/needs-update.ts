import { deepEqual } from "@pilothouse/api"
import type { Service } from "@pilothouse/api/core/v1"
import { wantsLoadBalancer } from "./wants-load-balancer.ts"

/** Reports whether a balancer that matches `old` may not match `now`. */
export function needsUpdate(old: Service, now: Service): boolean {
  if (!wantsLoadBalancer(old) && !wantsLoadBalancer(now)) return false
  return !deepEqual(balancerInputs(old), balancerInputs(now))
}

/** Every field that a balancer depends on. The order of ports and of external addresses counts, of families only the number. */
function balancerInputs(service: Service): unknown {
  const { metadata, spec } = service
  const { ports, sessionAffinity, sessionAffinityConfig, loadBalancerIP = "", externalTrafficPolicy, healthCheckNodePort = 0 } = spec ?? {}
  return {
    wanted: wantsLoadBalancer(service),
    uid: metadata.uid,
    annotations: metadata.annotations ?? {},
    sourceRanges: spec?.loadBalancerSourceRanges ?? [],
    ports: ports ?? [],
    sessionAffinity,
    sessionAffinityConfig,
    loadBalancerIP,
    externalIPs: spec?.externalIPs ?? [],
    externalTrafficPolicy,
    healthCheckNodePort,
    families: spec?.ipFamilies?.length ?? 0,
  }
}
