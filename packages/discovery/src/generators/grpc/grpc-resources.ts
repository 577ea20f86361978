import type { Service, ServicePort } from "../../model/service.ts"
import { httpConnectionManager, overAds } from "../routing.ts"

export function grpcListener(name: string, route: string): object {
  return { name, apiListener: { apiListener: httpConnectionManager("grpc", route) } }
}

/** It has only one host, so that every way to write it matches. The empty prefix is what gRPC's methods begin with. */
export function grpcRoute(cluster: string): object {
  return {
    name: cluster,
    virtualHosts: [{ name: cluster, domains: ["*"], routes: [{ match: { prefix: "" }, route: { cluster } }] }],
  }
}

/** Round robin: the only policy that every gRPC client takes. */
export function grpcCluster(name: string, service: Service, port: ServicePort): object {
  const common = { name, connectTimeout: { seconds: 10 }, lbPolicy: "ROUND_ROBIN" }
  if (service.resolution !== "dns") return { ...common, type: "EDS", edsClusterConfig: { edsConfig: overAds, serviceName: name } }
  const socketAddress = { address: service.externalName ?? "", portValue: port.port }
  return {
    ...common,
    type: "LOGICAL_DNS",
    loadAssignment: { clusterName: name, endpoints: [{ lbEndpoints: [{ endpoint: { address: { socketAddress } } }] }] },
  }
}
