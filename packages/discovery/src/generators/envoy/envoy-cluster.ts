import type { Service, ServicePort } from "../../model/service.ts"
import { any } from "../../wire/messages.ts"
import { overAds } from "../routing.ts"

/** Traffic that no listener knows goes where it was going. */
export const passthroughCluster = "PassthroughCluster"
/** Traffic that must go nowhere. */
export const blackHoleCluster = "BlackHoleCluster"

/** How Envoy discovers the endpoints of a cluster. */
export type EnvoyClusterType = "EDS" | "STRICT_DNS" | "ORIGINAL_DST"

/** Headless services go to the address that was asked for, where traffic is redirected so that it is known. */
export function envoyClusterType(service: Service, interception: "redirect" | "none"): EnvoyClusterType {
  if (service.resolution === "dns") return "STRICT_DNS"
  return service.resolution === "passthrough" && interception === "redirect" ? "ORIGINAL_DST" : "EDS"
}

/** Returns the Cluster of a service's port. */
export function envoyCluster(name: string, service: Service, port: ServicePort, type: EnvoyClusterType): object {
  const common = {
    name,
    type,
    connectTimeout: { seconds: 10 },
    lbPolicy: type === "ORIGINAL_DST" ? "CLUSTER_PROVIDED" : "LEAST_REQUEST",
    // Draining endpoints are included: without this Envoy would send them traffic when few others are left.
    commonLbConfig: { healthyPanicThreshold: { value: 0 } },
    ...(speaksHttp2(port) && { typedExtensionProtocolOptions: http2() }),
  }
  if (type === "EDS") return { ...common, edsClusterConfig: { edsConfig: overAds, serviceName: name } }
  if (type === "ORIGINAL_DST") return common
  const socketAddress = { address: service.externalName ?? "", portValue: port.port }
  return {
    ...common,
    respectDnsTtl: true,
    dnsLookupFamily: "V4_PREFERRED",
    loadAssignment: { clusterName: name, endpoints: [{ lbEndpoints: [{ endpoint: { address: { socketAddress } } }] }] },
  }
}

/** Returns a Cluster without a service: pass-through or black hole. */
export function specialCluster(name: string): object {
  if (name === blackHoleCluster) return { name, type: "STATIC", connectTimeout: { seconds: 10 } }
  return { name, type: "ORIGINAL_DST", connectTimeout: { seconds: 10 }, lbPolicy: "CLUSTER_PROVIDED" }
}

function speaksHttp2({ protocol }: ServicePort): boolean {
  return protocol === "HTTP2" || protocol === "GRPC"
}

function http2(): object {
  const name = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"
  return { [name]: any(name, { explicitHttpConfig: { http2ProtocolOptions: {} } }) }
}
