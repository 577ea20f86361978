import { parseIp } from "@pilothouse/api/net"
import { type BootstrapOptions, nodeLocality, nodeMetadata, serverAddress } from "./bootstrap-options.ts"

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

/** How an Envoy reaches the server: the service of gRPC, and the clusters that this needs. */
interface EnvoyServer {
  readonly service: object
  readonly clusters: readonly object[]
}

const name = "xds-grpc"

/** Returns how an Envoy reaches the server, with TLS and token where configured. */
function envoyServer(options: BootstrapOptions): EnvoyServer {
  const { authorityFile, tokenFile } = options
  if (authorityFile !== undefined && tokenFile !== undefined)
    return { service: googleService(options, authorityFile, tokenFile), clusters: [] }
  return { service: { envoy_grpc: { cluster_name: name } }, clusters: [serverCluster(options)] }
}

/** Only Google's client, which is part of Envoy, reads a token from its file each time: tokens of service accounts are good for an hour. */
function googleService(options: BootstrapOptions, authorityFile: string, tokenFile: string): object {
  const plugin = "envoy.grpc_credentials.file_based_metadata"
  const typed_config = {
    "@type": "type.googleapis.com/envoy.config.grpc_credential.v3.FileBasedMetadataConfig",
    secret_data: { filename: tokenFile },
    header_key: "authorization",
    header_prefix: "Bearer ",
  }
  const { certificateFile, keyFile } = options
  const own = certificateFile !== undefined && { cert_chain: { filename: certificateFile }, private_key: { filename: keyFile } }
  const wait = (milliseconds: number) => ({ int_value: milliseconds })
  return {
    google_grpc: {
      target_uri: serverAddress(options),
      stat_prefix: name,
      channel_credentials: { ssl_credentials: { root_certs: { filename: authorityFile }, ...own } },
      call_credentials: [{ from_plugin: { name: plugin, typed_config } }],
      credentials_factory_name: plugin,
      channel_args: { args: { "grpc.keepalive_time_ms": wait(30_000), "grpc.keepalive_timeout_ms": wait(5_000) } },
    },
  }
}

/**
 * Without HTTP/2 options Envoy would never open a stream, and without keepalive never miss a server that froze. One that is known by a name is looked up:
 * Envoy refuses a name where an address is said to be fixed.
 */
function serverCluster(options: BootstrapOptions): object {
  const { host, port, authorityFile } = options
  const http2 = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions"
  const address = { socket_address: { address: host, port_value: port } }
  return {
    name,
    type: isAddress(host) ? "STATIC" : "STRICT_DNS",
    connect_timeout: "1s",
    ...(authorityFile !== undefined && { transport_socket: tlsSocket(options, authorityFile) }),
    typed_extension_protocol_options: {
      [http2]: {
        "@type": `type.googleapis.com/${http2}`,
        explicit_http_config: { http2_protocol_options: { connection_keepalive: { interval: "30s", timeout: "5s" } } },
      },
    },
    load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] },
  }
}

/** By default Envoy does not compare the names in a certificate: without that any server of the authority would do. */
function tlsSocket({ host, certificateFile, keyFile }: BootstrapOptions, authorityFile: string): object {
  const expected = { san_type: isAddress(host) ? "IP_ADDRESS" : "DNS", matcher: { exact: host } }
  const own = { certificate_chain: { filename: certificateFile }, private_key: { filename: keyFile } }
  return {
    name: "envoy.transport_sockets.tls",
    typed_config: {
      "@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext",
      ...(!isAddress(host) && { sni: host }),
      common_tls_context: {
        alpn_protocols: ["h2"],
        ...(certificateFile !== undefined && { tls_certificates: [own] }),
        validation_context: { trusted_ca: { filename: authorityFile }, match_typed_subject_alt_names: [expected] },
      },
    },
  }
}

function isAddress(host: string): boolean {
  return parseIp(host) !== undefined
}
