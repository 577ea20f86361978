/** The two methods of the aggregated discovery service, as paths of gRPC. */
export const adsMethods = {
  sotw: "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources",
  delta: "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources",
} as const
