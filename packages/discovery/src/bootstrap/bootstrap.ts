import { parseAddress } from "../kube/networks/ip-address.ts"

/** What a client has to know to find the server. */
export interface BootstrapOptions {
  /** An address without brackets, or a name. */
  readonly host: string
  readonly port: number
  /** "sidecar~10.0.0.1~web-1.shop~shop.svc.cluster.local"; any text will do. */
  readonly nodeId: string
  readonly namespace: string
  readonly region?: string
  readonly zone?: string
  /** The network that the client is in, where several are joined by gateways. */
  readonly network?: string
  /** Where the client has the PEM of the server's authority: without it the connection is plain. */
  readonly authorityFile?: string
}

/** The bootstrap of a gRPC client, for GRPC_XDS_BOOTSTRAP or GRPC_XDS_BOOTSTRAP_CONFIG. grpc-js refuses one without a locality. */
export function grpcBootstrap(options: BootstrapOptions): object {
  const { host, port, nodeId, namespace, region = "", zone = "", authorityFile } = options
  const credentials = authorityFile === undefined ? { type: "insecure" } : { type: "tls", config: { ca_certificate_file: authorityFile } }
  return {
    xds_servers: [
      { server_uri: `${host.includes(":") ? `[${host}]` : host}:${port}`, channel_creds: [credentials], server_features: ["xds_v3"] },
    ],
    node: { id: nodeId, locality: { region, zone }, metadata: { GENERATOR: "grpc", NAMESPACE: namespace, ...networkOf(options) } },
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
  const own = ownPorts && { INTERCEPTION_MODE: "NONE", UNPRIVILEGED_POD: "true" }
  const metadata = { GENERATOR: "envoy", NAMESPACE: namespace, ...networkOf(options), ...own }
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
    static_resources: { clusters: [serverCluster(host, address(host, port), options.authorityFile)] },
  }
}

function networkOf({ network }: BootstrapOptions): object {
  return network === undefined ? {} : { NETWORK: network }
}

/** A server that is known by a name is looked up: Envoy refuses a name where an address is said to be fixed. */
function serverCluster(host: string, address: object, authorityFile: string | undefined): object {
  const http2 = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"
  return {
    name: "xds-grpc",
    type: isAddress(host) ? "STATIC" : "STRICT_DNS",
    connect_timeout: "1s",
    ...(authorityFile !== undefined && { transport_socket: tlsSocket(host, authorityFile) }),
    typed_extension_protocol_options: {
      [http2]: {
        "@type": `type.googleapis.com/${http2}`,
        explicit_http_config: { http2_protocol_options: { connection_keepalive: { interval: "30s", timeout: "5s" } } },
      },
    },
    load_assignment: { cluster_name: "xds-grpc", endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] },
  }
}

/** Envoy does not look at names in a certificate unless told which: without that any server of the authority would do. */
function tlsSocket(host: string, authorityFile: string): object {
  const name = { san_type: isAddress(host) ? "IP_ADDRESS" : "DNS", matcher: { exact: host } }
  return {
    name: "envoy.transport_sockets.tls",
    typed_config: {
      "@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
      ...(!isAddress(host) && { sni: host }),
      common_tls_context: {
        alpn_protocols: ["h2"],
        validation_context: { trusted_ca: { filename: authorityFile }, match_typed_subject_alt_names: [name] },
      },
    },
  }
}

function isAddress(host: string): boolean {
  return parseAddress(host) !== undefined
}
