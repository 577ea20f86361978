import { any } from "../wire/messages.ts"

/** Where everything that refers to something else finds it: on the same stream. `self` would do for gRPC, but Envoy refuses it. */
export const overAds = { ads: {}, resourceApiVersion: "V3" } as const

/** Always there, and last: without it gRPC's C-core refuses a listener, and Envoy lets every request hang. */
export function routerFilter(): object {
  return { name: "envoy.filters.http.router", typedConfig: any("envoy.extensions.filters.http.router.v3.Router", {}) }
}

/** Returns the filter that routes HTTP by RDS. */
export function httpConnectionManager(statPrefix: string, route: string, more: object = {}): object {
  return any("envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager", {
    statPrefix,
    rds: { configSource: overAds, routeConfigName: route },
    httpFilters: [routerFilter()],
    ...more,
  })
}
