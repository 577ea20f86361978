import { derSequence, derTags, derValue, pemText } from "@pilothouse/api/x509"
import { describe, expect, test } from "vitest"
import { objectIn, statusIn, testServer } from "../../testing/server.ts"
import { certificatePem, rewrapped } from "../../validation/certificates/testing/issue.ts"

const path = "/apis/certificates.k8s.io/v1beta1/clustertrustbundles"
const enabled = { enabledVersions: ["certificates.k8s.io/v1beta1"] }
const [one, other] = [certificatePem({ name: "one" }), certificatePem({ name: "other" })]
const bundle = (name: string, trustBundle: string, signerName?: string) => ({
  metadata: { name },
  spec: { trustBundle, ...(signerName !== undefined && { signerName }) },
})
const signed = (name: string, signerName = "example.com/signer") => bundle(name, one, signerName)
const unreadable = pemText("CERTIFICATE", derSequence(derValue(derTags.integer, Uint8Array.of(1))))

describe("ClusterTrustBundles", () => {
  test("are not served by default, as upstream", async () => {
    const api = testServer()
    expect((await api.post(path, bundle("b", one))).status).toBe(404)
    expect((await api.get("/apis/certificates.k8s.io/v1beta1")).status).toBe(404)
  })

  test("are found by their signer and listed with it", async () => {
    const api = testServer("in process", enabled)
    objectIn(await api.post(path, bundle("unsigned", one)), 201)
    objectIn(await api.post(path, signed("example.com:signer:a")), 201)
    const found = objectIn(await api.get(path, { fieldSelector: "spec.signerName=example.com/signer" })) as unknown as { items: object[] }
    expect(found.items).toMatchObject([{ metadata: { name: "example.com:signer:a" } }])
    const accept = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }
    const table = objectIn(await api.ask("GET", path, { headers: accept })) as unknown as { rows: { cells: unknown[] }[] }
    expect(table.rows.map(({ cells }) => cells)).toEqual([
      ["example.com:signer:a", "example.com/signer"],
      ["unsigned", "<none>"],
    ])
  })

  test.each<[what: string, given: ReturnType<typeof bundle>]>([
    ["without a signer", bundle("k8s", one)],
    ["of a signer", signed("example.com:signer:k8s")],
    ["of several anchors, with text between them", bundle("k8s", `one\n${one}\nother\n${other}`)],
    ["whose name the server makes", { ...bundle("", one), metadata: { generateName: "k8s-" } as never }],
  ])("%s is valid", async (_what, given) => {
    expect((await testServer("in process", enabled).post(path, given)).status).toBe(201)
  })

  const prefixed = "ClusterTrustBundle for signerName example.com/signer must be named with prefix example.com:signer:"
  const omitted = 'spec.trustBundle: Invalid value: "<value omitted>"'
  test.each<[what: string, given: ReturnType<typeof bundle>, message: string]>([
    [
      "without a signer, named after one",
      bundle("k8s.io:a:b", one),
      'metadata.name: Invalid value: "k8s.io:a:b": ClusterTrustBundle without signer name must not have ":" in its name',
    ],
    ["without a signer, of an invalid name", bundle("!", one), 'metadata.name: Invalid value: "!": a lowercase RFC 1123 subdomain'],
    ["of a signer, not named after it", signed("k8s"), `metadata.name: Invalid value: "k8s": ${prefixed}`],
    ["of a signer, named after another", signed("example.com:other:k8s"), prefixed],
    ["of a signer, of an invalid name", signed("example.com:signer:!"), "a lowercase RFC 1123 subdomain"],
    [
      "of a signer without a path",
      signed("example.com:k8s", "example.com"),
      `spec.signerName: Invalid value: "example.com": must be a fully qualified domain and path of the form 'example.com/signer-name'`,
    ],
    [
      "of a signer without a domain",
      signed("local:signer:k8s", "local/signer"),
      'spec.signerName: Invalid value: "local": should be a domain with at least two segments separated by dots',
    ],
    [
      "of a signer with capitals",
      signed("Example.com:signer:k8s", "Example.com/signer"),
      'spec.signerName: Invalid value: "Example.com": validating label "Example": a lowercase RFC 1123 label',
    ],
    ["without anchors", bundle("k8s", "garbage"), `${omitted}: at least one trust anchor must be provided`],
    ["with an anchor twice", bundle("k8s", `${one}${other}${one}`), `${omitted}: duplicate trust anchor (indices [0 2])`],
    [
      "of another kind of block",
      bundle("k8s", rewrapped(one, { type: "NOTACERTIFICATE" })),
      `${omitted}: entry 0 has bad block type: NOTACERTIFICATE`,
    ],
    ["with headers", bundle("k8s", rewrapped(one, { headers: "key: value" })), `${omitted}: entry 0 has PEM block headers`],
    ["that is no certificate", bundle("k8s", `${one}${unreadable}`), `${omitted}: entry 1 does not parse as X.509`],
    [
      "of one that is no authority",
      bundle("k8s", certificatePem({ isAuthority: false })),
      `${omitted}: entry 0 does not have the CA bit set`,
    ],
    [
      "of more than a megabyte",
      bundle("k8s", "x".repeat(1024 * 1024 + 1)),
      "spec.trustBundle: Too long: may not be more than 1048576 bytes",
    ],
  ])("%s is refused", async (_what, given, message) => {
    const answer = statusIn(await testServer("in process", enabled).post(path, given))
    expect(answer).toMatchObject({ code: 422, message: expect.stringContaining(message) })
  })

  test("take other anchors, and keep their signer", async () => {
    const api = testServer("in process", enabled)
    objectIn(await api.post(path, signed("example.com:signer:a")), 201)
    const at = `${path}/example.com:signer:a`
    objectIn(await api.patch(at, "merge", { spec: { trustBundle: other } }))
    expect(statusIn(await api.patch(at, "merge", { spec: { trustBundle: "" } })).message).toContain("at least one trust anchor")
    const moved = statusIn(await api.patch(at, "merge", { spec: { signerName: "example.com/another" } }))
    expect(moved.message).toContain('spec.signerName: Invalid value: "example.com/another": field is immutable')
  })
})
