import { describe, expect, test } from "vitest"
import { memoryStorage } from "../../storage/memory.ts"
import { objectIn, statusIn, testServer } from "../../testing/server.ts"

const path = "/api/v1/namespaces/default/pods"
const enabled = { enabledVersions: ["certificates.k8s.io/v1beta1"] }
const volume = (...sources: readonly object[]) => ({ name: "v", projected: { sources } })
const podSpec = (...sources: readonly object[]) => ({ containers: [{ name: "c", image: "i" }], volumes: [volume(...sources)] })
const pod = (...sources: readonly object[]) => ({ metadata: { name: "p" }, spec: podSpec(...sources) })
const bundle = (more: object) => ({ clusterTrustBundle: { path: "anchors.pem", ...more } })
const own = { signerName: "example.com/signer", keyType: "ED25519" }
const certificate = (more: object) => ({ podCertificate: { ...own, credentialBundlePath: "bundle.pem", ...more } })
const at = "spec.volumes[0].projected"
const signer = { signerName: "example.com/signer" }

describe("the sources of a projected volume", () => {
  test.each<[what: string, sources: readonly object[]]>([
    ["a bundle of no signer", [bundle({ name: "anchors" })]],
    ["a bundle of a signer", [bundle({ name: "example.com:signer:anchors" })]],
    ["a signer's bundles", [bundle(signer)]],
    ["a signer's bundles with labels", [bundle({ ...signer, labelSelector: { matchLabels: { a: "b" } }, optional: true })]],
    ["a pod's certificate", [certificate({ keyPath: "key.pem", certificateChainPath: "chain.pem", maxExpirationSeconds: 3600 })]],
    ["a ConfigMap and a Secret", [{ configMap: { name: "m", items: [{ key: "k", path: "a/b" }] } }, { secret: { name: "s" } }]],
  ])("may be %s", async (_what, sources) => {
    expect((await testServer("in process", enabled).post(path, pod(...sources))).status).toBe(201)
  })

  const first = `${at}.sources[0]`
  test.each<[what: string, sources: readonly object[], message: string]>([
    ["no bundle", [bundle({})], `${first}.clusterTrustBundle: Required value: either name or signerName must be specified`],
    [
      "a bundle and a signer",
      [bundle({ name: "a", signerName: "example.com/signer" })],
      `${first}.clusterTrustBundle: Invalid value: {"Name":"a","SignerName":"example.com/signer","LabelSelector":null,"Optional":null,"Path":"anchors.pem"}: only one of name and signerName may be used`,
    ],
    ["a bundle without a name", [bundle({ name: "" })], `${first}.clusterTrustBundle.name: Required value: must be a valid object name`],
    [
      "a bundle of an invalid name",
      [bundle({ name: "example.com:signer:!" })],
      `${first}.clusterTrustBundle.name: Invalid value: "example.com:signer:!": not a valid clustertrustbundlename: a lowercase RFC 1123`,
    ],
    [
      "a bundle with labels",
      [bundle({ name: "a", labelSelector: { matchLabels: { a: "b" } } })],
      `${first}.clusterTrustBundle.labelSelector: Invalid value: {"matchLabels":{"a":"b"}}: labelSelector must be unset if name is specified`,
    ],
    [
      "a signer without a name",
      [bundle({ signerName: "" })],
      `${first}.clusterTrustBundle.signerName: Required value: must be a valid signer`,
    ],
    ["a signer without a path", [bundle({ signerName: "example.com" })], "must be a fully qualified domain and path of the form"],
    [
      "labels that are none",
      [bundle({ ...signer, labelSelector: { matchLabels: { a: "!" } } })],
      `${first}.clusterTrustBundle.labelSelector.matchLabels: Invalid value: "!"`,
    ],
    ["a bundle without a path", [bundle({ ...signer, path: "" })], `${first}.clusterTrustBundle.path: Required value`],
    [
      "a path of the host",
      [bundle({ ...signer, path: "/etc" })],
      `${first}.clusterTrustBundle.path: Invalid value: "/etc": must be a relative`,
    ],
    ["a path upwards", [bundle({ ...signer, path: "a/../b" })], `Invalid value: "a/../b": must not contain '..'`],
    ["a path of kubelets", [bundle({ ...signer, path: "..data" })], `Invalid value: "..data": must not start with '..'`],
    [
      "the same file twice",
      [bundle(signer), certificate({ keyPath: "anchors.pem" })],
      `${at}: Invalid value: "anchors.pem": conflicting duplicate paths`,
    ],
    ["two things", [{ ...bundle(signer), ...certificate({}) }], `${first}: Forbidden: may not specify more than 1 volume type per source`],
    [
      "a key of another kind",
      [certificate({ keyType: "RSA2048" })],
      `${first}.podCertificate.keyType: Unsupported value: "RSA2048": supported values: "RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"`,
    ],
    [
      "a certificate of half an hour",
      [certificate({ maxExpirationSeconds: 1800 })],
      `${first}.podCertificate.maxExpirationSeconds: Invalid value: 1800: if provided, maxExpirationSeconds must be >= 3600`,
    ],
    [
      "two days of Kubernetes' signer",
      [certificate({ signerName: "kubernetes.io/signer", maxExpirationSeconds: 172800 })],
      "Invalid value: 172800: if provided, maxExpirationSeconds must be <= 86400",
    ],
    [
      "a certificate without a file",
      [certificate({ credentialBundlePath: "" })],
      `${first}.podCertificate: Required value: specify at least one of credentialBundlePath, keyPath, and certificateChainPath`,
    ],
    [
      "words without a domain",
      [certificate({ userAnnotations: { a: "b" } })],
      `${first}.podCertificate.userAnnotations: Invalid value: "a": must be a domain-prefixed key (such as "acme.io/foo")`,
    ],
    ["a Secret without a name", [{ secret: {} }], `${first}.secret.name: Required value`],
    ["a key without a path", [{ configMap: { name: "m", items: [{ key: "k" }] } }], `${first}.configMap.items[0].path: Required value`],
    [
      "a token of a minute",
      [{ serviceAccountToken: { path: "t", expirationSeconds: 60 } }],
      `${first}.serviceAccountToken.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes`,
    ],
  ])("may not be %s", async (_what, sources, message) => {
    const answer = statusIn(await testServer("in process", enabled).post(path, pod(...sources)))
    expect(answer).toMatchObject({ code: 422, message: expect.stringContaining(message) })
  })
})

describe("on a server without the certificates' beta version", () => {
  const token = { serviceAccountToken: { path: "token", expirationSeconds: 3600 } }
  const sourcesIn = (spec: unknown) => (spec as ReturnType<typeof podSpec>).volumes.flatMap(({ projected }) => projected.sources)

  test("a pod loses trust bundles and certificates, as upstream without the feature gates", async () => {
    const made = objectIn(await testServer().post(path, pod(bundle({ signerName: "wrong" }), certificate({}), token)), 201)
    expect(sourcesIn(made.spec)).toEqual([{}, {}, token])
  })

  test.each([
    ["deployments", (template: object) => ({ selector: { matchLabels: { a: "b" } }, template })],
    ["cronjobs", (template: object) => ({ schedule: "* * * * *", jobTemplate: { spec: { template } } })],
  ])("the template of %s loses them too", async (kind, specOf) => {
    const group = kind === "deployments" ? "apps" : "batch"
    const restart = kind === "deployments" ? {} : { restartPolicy: "Never" }
    const template = { metadata: { labels: { a: "b" } }, spec: { ...podSpec(bundle(signer), token), ...restart } }
    const body = { metadata: { name: "x" }, spec: specOf(template) }
    const made = objectIn(await testServer().post(`/apis/${group}/v1/namespaces/default/${kind}`, body), 201)
    const text = JSON.stringify(made.spec)
    expect([text.includes("clusterTrustBundle"), text.includes("serviceAccountToken")]).toEqual([false, true])
  })

  test("an object that has one keeps it", async () => {
    const at = "/api/v1/namespaces/default/podtemplates"
    const storage = memoryStorage({})
    const enabledServer = testServer("in process", { ...enabled, storage })
    const template = { metadata: { labels: { a: "b" } }, spec: podSpec(bundle(signer)) }
    objectIn(await enabledServer.post(at, { metadata: { name: "t" }, template }), 201)
    const later = testServer("in process", { storage })
    const changed = objectIn(await later.patch(`${at}/t`, "merge", { template: { metadata: { labels: { c: "d" } } } }))
    expect(JSON.stringify(changed)).toContain("anchors.pem")
    const other = objectIn(await later.patch(`${at}/t`, "merge", { template: { spec: podSpec(token) } }))
    expect(JSON.stringify(other)).not.toContain("anchors.pem")
    const again = objectIn(await later.patch(`${at}/t`, "merge", { template: { spec: podSpec(bundle(signer)) } }))
    expect(JSON.stringify(again)).not.toContain("anchors.pem")
  })
})
