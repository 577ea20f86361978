import { type BootstrapOptions, nodeLocality, nodeMetadata, serverAddress } from "./bootstrap-options.ts"

/** The bootstrap of a gRPC client, for GRPC_XDS_BOOTSTRAP or GRPC_XDS_BOOTSTRAP_CONFIG. */
export function grpcBootstrap(options: BootstrapOptions): object {
  return {
    xds_servers: [{ server_uri: serverAddress(options), ...credentials(options), server_features: ["xds_v3"] }],
    node: { id: options.nodeId, locality: nodeLocality(options), metadata: { GENERATOR: "grpc", ...nodeMetadata(options) } },
  }
}

/** As gRPC's proposals A65 (certificates) and A97 (tokens) have it. */
function credentials({ authorityFile, certificateFile, keyFile, tokenFile }: BootstrapOptions): object {
  if (authorityFile === undefined) return { channel_creds: [{ type: "insecure" }] }
  const own = certificateFile !== undefined && { certificate_file: certificateFile, private_key_file: keyFile }
  return {
    channel_creds: [{ type: "tls", config: { ca_certificate_file: authorityFile, ...own } }],
    ...(tokenFile !== undefined && { call_creds: [{ type: "jwt_token_file", config: { jwt_token_file: tokenFile } }] }),
  }
}
