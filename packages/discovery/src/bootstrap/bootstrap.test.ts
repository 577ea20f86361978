import { expect, test } from "vitest"
import { envoyBootstrap } from "./envoy-bootstrap.ts"
import { grpcBootstrap } from "./grpc-bootstrap.ts"

const common = { host: "127.0.0.1", port: 15010, nodeId: "n1", namespace: "shop" }

test("gRPC's has a locality, which grpc-js insists on, and says which sort of client it is for", () => {
  expect(grpcBootstrap(common)).toMatchObject({
    xds_servers: [{ server_uri: "127.0.0.1:15010" }],
    node: { id: "n1", locality: { region: "", zone: "" }, metadata: { GENERATOR: "grpc", NAMESPACE: "shop" } },
  })
})

test.each([
  ["delta", "DELTA_GRPC"],
  ["sotw", "GRPC"],
] as const)("Envoy's for %s", (protocol, type) => {
  const text = JSON.stringify(envoyBootstrap({ ...common, protocol }))
  expect(text).toContain(`"api_type":"${type}"`)
  expect(text).toContain("http2_protocol_options")
  expect(text).toContain("connection_keepalive")
  expect(text).toContain('"set_node_on_first_message_only":true')
})

test("Envoy's with ports of its own says so", () => {
  expect(JSON.stringify(envoyBootstrap({ ...common, ownPorts: true }))).toContain('"INTERCEPTION_MODE":"NONE"')
  expect(JSON.stringify(envoyBootstrap(common))).not.toContain("INTERCEPTION_MODE")
})

test("with an authority both speak TLS", () => {
  const options = { ...common, authorityFile: "/etc/ca.pem" }
  expect(grpcBootstrap(options)).toMatchObject({
    xds_servers: [{ channel_creds: [{ type: "tls", config: { ca_certificate_file: "/etc/ca.pem" } }] }],
  })
  const text = JSON.stringify(envoyBootstrap(options))
  expect(text).toContain('"trusted_ca":{"filename":"/etc/ca.pem"}')
  expect(text).toContain('"alpn_protocols":["h2"]')
  expect(JSON.stringify(envoyBootstrap(common))).not.toContain("transport_socket")
})

test("where a client is has up to three parts", () => {
  const place = { region: "r1", zone: "z1", subZone: "rack-7" }
  for (const bootstrap of [grpcBootstrap, envoyBootstrap]) {
    expect(bootstrap({ ...common, ...place })).toMatchObject({ node: { locality: { region: "r1", zone: "z1", sub_zone: "rack-7" } } })
    expect(JSON.stringify(bootstrap(common))).not.toContain("sub_zone")
  }
})

test("a client of a network says so", () => {
  for (const made of [grpcBootstrap({ ...common, network: "east" }), envoyBootstrap({ ...common, network: "east" })])
    expect(made).toMatchObject({ node: { metadata: { NETWORK: "east" } } })
})

test.each([
  ["127.0.0.1", "STATIC", "IP_ADDRESS", "127.0.0.1:15010"],
  ["fd00::1", "STATIC", "IP_ADDRESS", "[fd00::1]:15010"],
  ["xds.example", "STRICT_DNS", "DNS", "xds.example:15010"],
])("a server at %s is of type %s for Envoy, and must show that name as %s", (host, type, san, uri) => {
  const options = { ...common, host, authorityFile: "/etc/ca.pem" }
  const context = { validation_context: { match_typed_subject_alt_names: [{ san_type: san, matcher: { exact: host } }] } }
  expect(envoyBootstrap(options)).toMatchObject({
    static_resources: {
      clusters: [
        {
          type,
          transport_socket: { typed_config: { common_tls_context: context } },
          load_assignment: { endpoints: [{ lb_endpoints: [{ endpoint: { address: { socket_address: { address: host } } } }] }] },
        },
      ],
    },
  })
  expect(JSON.stringify(envoyBootstrap(options)).includes(`"sni":"${host}"`)).toBe(type === "STRICT_DNS")
  expect(grpcBootstrap(options)).toMatchObject({ xds_servers: [{ server_uri: uri }] })
})

const secure = { ...common, authorityFile: "/etc/ca.pem" }

test("with a certificate of its own a client shows it: a server with an authority of clients admits no other client", () => {
  const options = { ...secure, certificateFile: "/etc/own.pem", keyFile: "/etc/own.key" }
  expect(grpcBootstrap(options)).toMatchObject({
    xds_servers: [{ channel_creds: [{ type: "tls", config: { certificate_file: "/etc/own.pem", private_key_file: "/etc/own.key" } }] }],
  })
  expect(JSON.stringify(envoyBootstrap(options))).toContain(
    '"tls_certificates":[{"certificate_chain":{"filename":"/etc/own.pem"},"private_key":{"filename":"/etc/own.key"}}]',
  )
  expect(JSON.stringify([grpcBootstrap(secure), envoyBootstrap(secure)])).not.toMatch(
    /certificate_file":"\/etc\/own|tls_certificates|call_creds/,
  )
})

test("with a token it is read from its file each time: it is good for an hour", () => {
  const options = { ...secure, tokenFile: "/run/token" }
  expect(grpcBootstrap(options)).toMatchObject({
    xds_servers: [{ call_creds: [{ type: "jwt_token_file", config: { jwt_token_file: "/run/token" } }] }],
  })
  const { google_grpc: google } = (
    envoyBootstrap(options) as { dynamic_resources: { ads_config: { grpc_services: [{ google_grpc: object }] } } }
  ).dynamic_resources.ads_config.grpc_services[0]
  expect(google).toMatchObject({
    target_uri: "127.0.0.1:15010",
    channel_credentials: { ssl_credentials: { root_certs: { filename: "/etc/ca.pem" } } },
    call_credentials: [{ from_plugin: { typed_config: { secret_data: { filename: "/run/token" }, header_prefix: "Bearer " } } }],
  })
})

test("Envoy shows both, certificate and token, where it was given both: a server with an authority of clients wants the certificate", () => {
  const own = { certificateFile: "/etc/own.pem", keyFile: "/etc/own.key" }
  const made = envoyBootstrap({ ...secure, ...own, tokenFile: "/run/token" })
  const ssl = {
    root_certs: { filename: "/etc/ca.pem" },
    cert_chain: { filename: "/etc/own.pem" },
    private_key: { filename: "/etc/own.key" },
  }
  const google = { channel_credentials: { ssl_credentials: ssl }, call_credentials: [{}] }
  expect(made).toMatchObject({ dynamic_resources: { ads_config: { grpc_services: [{ google_grpc: google }] } } })
  expect(JSON.stringify(envoyBootstrap({ ...secure, tokenFile: "/run/token" }))).not.toMatch(/cert_chain|private_key/)
})

test("a token is never sent in the clear", () => {
  const options = { ...common, tokenFile: "/run/token" }
  expect(JSON.stringify([grpcBootstrap(options), envoyBootstrap(options)])).not.toContain("/run/token")
})
