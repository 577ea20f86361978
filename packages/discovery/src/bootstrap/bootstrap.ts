/** What a client has to know to find the server. */
export interface BootstrapOptions {
  readonly host: string
  readonly port: number
  /** "sidecar~10.0.0.1~web-1.shop~shop.svc.cluster.local"; any text will do. */
  readonly nodeId: string
  readonly namespace: string
  readonly region?: string
  readonly zone?: string
}

/** The bootstrap of a gRPC client, for GRPC_XDS_BOOTSTRAP or GRPC_XDS_BOOTSTRAP_CONFIG. grpc-js refuses one without a locality. */
export function grpcBootstrap({ host, port, nodeId, namespace, region = "", zone = "" }: BootstrapOptions): object {
  return {
    xds_servers: [{ server_uri: `${host}:${port}`, channel_creds: [{ type: "insecure" }], server_features: ["xds_v3"] }],
    node: { id: nodeId, locality: { region, zone }, metadata: { GENERATOR: "grpc", NAMESPACE: namespace } },
  }
}

export interface EnvoyBootstrapOptions extends BootstrapOptions {
  readonly protocol?: "sotw" | "delta"
  readonly adminPort?: number
  /** True: nobody redirects traffic to it, so that listeners bind to ports of their own. */
  readonly ownPorts?: boolean
}

/** The bootstrap of an Envoy. Without HTTP/2 options it would never open a stream, and without keepalive never miss a server that froze. */
export function envoyBootstrap(options: EnvoyBootstrapOptions): object {
  const { host, port, nodeId, namespace, region = "", zone = "", protocol = "delta", adminPort, ownPorts = false } = options
  const ads = { ads: {}, resource_api_version: "V3" }
  const address = (ip: string, number: number) => ({ socket_address: { address: ip, port_value: number } })
  const metadata = { GENERATOR: "envoy", NAMESPACE: namespace, ...(ownPorts && { INTERCEPTION_MODE: "NONE", UNPRIVILEGED_POD: "true" }) }
  return {
    node: { id: nodeId, cluster: namespace, locality: { region, zone }, metadata },
    ...(adminPort !== undefined && { admin: { address: address("127.0.0.1", adminPort) } }),
    dynamic_resources: {
      ads_config: {
        api_type: protocol === "delta" ? "DELTA_GRPC" : "GRPC",
        transport_api_version: "V3",
        set_node_on_first_message_only: true,
        grpc_services: [{ envoy_grpc: { cluster_name: "xds-grpc" } }],
      },
      lds_config: ads,
      cds_config: ads,
    },
    static_resources: { clusters: [serverCluster(address(host, port))] },
  }
}

function serverCluster(address: object): object {
  const http2 = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"
  return {
    name: "xds-grpc",
    type: "STATIC",
    connect_timeout: "1s",
    typed_extension_protocol_options: {
      [http2]: {
        "@type": `type.googleapis.com/${http2}`,
        explicit_http_config: { http2_protocol_options: { connection_keepalive: { interval: "30s", timeout: "5s" } } },
      },
    },
    load_assignment: { cluster_name: "xds-grpc", endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] },
  }
}
