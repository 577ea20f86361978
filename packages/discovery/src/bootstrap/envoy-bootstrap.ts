import { type BootstrapOptions, nodeLocality, nodeMetadata } from "./bootstrap-options.ts"
import { envoyServer } from "./envoy-server.ts"

/** What an Envoy needs to connect, besides the common options. */
export interface EnvoyBootstrapOptions extends BootstrapOptions {
  readonly protocol?: "sotw" | "delta"
  readonly adminPort?: number
  /** True: no traffic is redirected to it, so that listeners bind to ports of their own. */
  readonly ownPorts?: boolean
}

/** The bootstrap of an Envoy. */
export function envoyBootstrap(options: EnvoyBootstrapOptions): object {
  const { nodeId, namespace, protocol = "delta", adminPort, ownPorts = false } = options
  const ads = { ads: {}, resource_api_version: "V3" }
  const own = ownPorts && { INTERCEPTION_MODE: "NONE", UNPRIVILEGED_POD: "true" }
  const metadata = { GENERATOR: "envoy", ...nodeMetadata(options), ...own }
  const { service, clusters } = envoyServer(options)
  return {
    node: { id: nodeId, cluster: namespace, locality: nodeLocality(options), metadata },
    ...(adminPort !== undefined && { admin: { address: { socket_address: { address: "127.0.0.1", port_value: adminPort } } } }),
    dynamic_resources: {
      ads_config: {
        api_type: protocol === "delta" ? "DELTA_GRPC" : "GRPC",
        transport_api_version: "V3",
        set_node_on_first_message_only: true,
        grpc_services: [service],
      },
      lds_config: ads,
      cds_config: ads,
    },
    static_resources: { clusters },
  }
}
