import { expect, test } from "vitest"
import { parse } from "yaml"
import { type BootstrapFlags, printedBootstrap } from "./print-bootstrap.ts"

const flags = { server: "127.0.0.1:15010", namespace: "shop" } as const
const read = (more: Partial<BootstrapFlags> & Pick<BootstrapFlags, "for">) => parse(printedBootstrap({ ...flags, ...more })) as object

test("for gRPC it is JSON, for Envoy YAML, of the client that the flags describe", () => {
  expect(() => JSON.parse(printedBootstrap({ ...flags, for: "grpc" })) as object).not.toThrow()
  const node = { id: "sidecar~127.0.0.1~client.shop~shop.svc.cluster.local", locality: { region: "r1", zone: "z1" } }
  for (const client of ["grpc", "envoy"] as const)
    expect(read({ for: client, locality: "r1/z1", network: "east" })).toMatchObject({ node: { ...node, metadata: { NETWORK: "east" } } })
  expect(read({ for: "envoy", nodeId: "n1" })).toMatchObject({ node: { id: "n1" }, admin: {} })
})

test.each([
  ["r1", { region: "r1", zone: "" }],
  ["r1/z1", { region: "r1", zone: "z1" }],
  ["r1/z1/rack-7", { region: "r1", zone: "z1", sub_zone: "rack-7" }],
])("--locality %s", (locality, told) => {
  for (const client of ["grpc", "envoy"] as const)
    expect((read({ for: client, locality }) as { node: { locality: object } }).node.locality).toEqual(told)
})

test("what a client shows a server with TLS is in it", () => {
  const certificate = { certificateAuthority: "/ca", clientCertificate: "/own", clientKey: "/key" }
  const token = { certificateAuthority: "/ca", tokenFile: "/token" }
  for (const client of ["grpc", "envoy"] as const) {
    expect(printedBootstrap({ ...flags, for: client, ...certificate })).toMatch(/\/own[^]*\/key/)
    expect(printedBootstrap({ ...flags, for: client, ...token })).toContain("/token")
  }
})

test.each([
  [
    "a certificate without its key",
    { certificateAuthority: "/ca", clientCertificate: "/own" },
    /--client-certificate and --client-key together/,
  ],
  ["a key without its certificate", { certificateAuthority: "/ca", clientKey: "/key" }, /--client-certificate and --client-key together/],
  ["a token in the clear", { tokenFile: "/token" }, /expected --certificate-authority with --token-file/],
  [
    "a certificate without TLS",
    { clientCertificate: "/own", clientKey: "/key" },
    /expected --certificate-authority with --client-certificate/,
  ],
  ["a locality of four parts", { locality: "r1/z1/s1/x" }, /region\/zone\/subzone for --locality, found "r1\/z1\/s1\/x"/],
  ["a locality without its region", { locality: "/z1" }, /for --locality, found "\/z1"/],
  ["a locality without anything", { locality: "" }, /for --locality, found ""/],
  ["a locality that ends with a slash", { locality: "r1/" }, /for --locality, found "r1\/"/],
  ["a port that none has", { server: "127.0.0.1:99999" }, /expected a port from 1 to 65535 in --server, found "127\.0\.0\.1:99999"/],
  ["port 0", { server: "127.0.0.1:0" }, /expected a port from 1 to 65535/],
  ["an IPv6 address without brackets", { server: "::1:15010" }, /such as 127\.0\.0\.1:15010 or \[::1\]:15010/],
  ["a URL", { server: "http://127.0.0.1:15010" }, /expected host:port for --server/],
  ["no port", { server: "127.0.0.1" }, /expected host:port for --server/],
])("%s is refused", (_title, more, message) => {
  expect(() => printedBootstrap({ ...flags, for: "envoy", ...more })).toThrow(
    expect.objectContaining({ code: "USAGE", message: expect.stringMatching(message) }) as Error,
  )
})
