import { constants, sign } from "node:crypto"
import { formatTime } from "@pilothouse/api"
import type { CertificateTemplate } from "@pilothouse/api/x509"
import { describe, expect, test } from "vitest"
import { objectIn, statusIn, testServer } from "../../testing/server.ts"
import * as issue from "../../validation/certificates/testing/issue.ts"

const path = "/apis/certificates.k8s.io/v1beta1/namespaces/default/podcertificaterequests"
const enabled = { enabledVersions: ["certificates.k8s.io/v1beta1"] }
const keys = { p256: issue.ecKey("P-256"), p224: issue.ecKey("secp224r1"), ed25519: issue.ed25519Key(), rsa: issue.rsaKey(3072) }
const weak = issue.rsaKey(2048)
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64")
const stubOf = (key: issue.KeyPair, signer = key) => ({ stubPKCS10Request: base64(issue.emptyRequest(key, signer)) })

const uid = "pod-uid"
const spec = {
  signerName: "example.com/signer",
  podName: "web-0",
  podUID: uid,
  serviceAccountName: "web",
  serviceAccountUID: "account-uid",
  nodeName: "n1",
  nodeUID: "node-uid",
  maxExpirationSeconds: 86400,
  ...stubOf(keys.p256),
}
type Spec = Readonly<Record<string, unknown>>
const request = (more: Spec = {}) => ({ metadata: { name: "r" }, spec: { ...spec, ...more } })

/** How old kubelets ask: the key, and a signature of the pod's UID. */
const possession = (key: issue.KeyPair, proof: Uint8Array) => ({
  stubPKCS10Request: undefined,
  pkixPublicKey: base64(issue.spki(key)),
  proofOfPossession: base64(proof),
})
const bytes = Buffer.from(uid)
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }

describe("a new PodCertificateRequest", () => {
  test.each<[what: string, more: Spec]>([
    ["with an ECDSA key", {}],
    ["with an Ed25519 key", stubOf(keys.ed25519)],
    ["with an RSA key", stubOf(keys.rsa)],
    ["with an ECDSA key and its proof", possession(keys.p256, sign("sha256", bytes, keys.p256.privateKey))],
    ["with an Ed25519 key and its proof", possession(keys.ed25519, sign(undefined, bytes, keys.ed25519.privateKey))],
    ["with an RSA key and its proof", possession(keys.rsa, sign("sha256", bytes, { key: keys.rsa.privateKey, ...pss }))],
    ["for 91 days of another's signer", { maxExpirationSeconds: 91 * 86400 }],
    ["with words for its signer", { unverifiedUserAnnotations: { "example.com/Key": "x" } }],
  ])("%s is valid", async (_what, more) => {
    expect((await testServer("in process", enabled).post(path, request(more))).status).toBe(201)
  })

  test.each<[what: string, more: Spec, message: string]>([
    ["without a signer", { signerName: "" }, "spec.signerName: Required value"],
    ["of a pod with capitals", { podName: "Web" }, 'spec.podName: Invalid value: "Web": a lowercase RFC 1123 subdomain'],
    ["without the pod's UID", { podUID: "" }, 'spec.podUID: Invalid value: "": must not be empty'],
    ["with a long UID", { nodeUID: "x".repeat(129) }, "spec.nodeUID: Too long: may not be more than 128 bytes"],
    ["without an account", { serviceAccountName: "" }, 'spec.serviceAccountName: Invalid value: "": a lowercase RFC 1123'],
    ["for half an hour", { maxExpirationSeconds: 1800 }, "Invalid value: 1800: must be in the range [3600, 7862400]"],
    [
      "for two days of Kubernetes' signer",
      { signerName: "kubernetes.io/kube-apiserver-client-pod", maxExpirationSeconds: 172800 },
      "spec.maxExpirationSeconds: Invalid value: 172800: must be in the range [3600, 86400]",
    ],
    [
      "with words without a domain",
      { unverifiedUserAnnotations: { key: "x" } },
      'spec.unverifiedUserAnnotations: Invalid value: "key": must be a domain-prefixed key (such as "acme.io/foo")',
    ],
    [
      "without a key",
      { stubPKCS10Request: undefined },
      "spec: Invalid value: exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set",
    ],
    ["with both kinds of keys", { pkixPublicKey: base64(issue.spki(keys.p256)) }, "exactly one of (stubPKCS10Request) or"],
    ["with what is no request", { stubPKCS10Request: base64(bytes) }, "spec.stubPKCS10Request: Invalid value: must be a valid PKCS#10 CSR"],
    ["signed by another key", stubOf(keys.p256, issue.authorityKey), "spec.stubPKCS10Request: Invalid value: invalid signature"],
    [
      "with a short RSA key",
      stubOf(weak),
      'spec.stubPKCS10Request: Invalid value: "2048-bit modulus": RSA keys must have modulus size 3072 or 4096',
    ],
    [
      "with a weak curve",
      { stubPKCS10Request: base64(issue.unsignedRequest(issue.spki(keys.p224))) },
      'spec.stubPKCS10Request: Invalid value: "curve P-224": elliptic public keys must use curve P256, P384, or P521',
    ],
    ["of more than 10 KB", { stubPKCS10Request: base64(Buffer.alloc(10_241)) }, "may not be more than 10240 bytes"],
    [
      "with a proof of another pod",
      possession(keys.ed25519, sign(undefined, Buffer.from("other"), keys.ed25519.privateKey)),
      "spec.proofOfPossession: Invalid value: could not verify proof-of-possession signature",
    ],
    [
      "with a key that is none",
      { ...possession(keys.p256, bytes), pkixPublicKey: base64(bytes) },
      `spec.pkixPublicKey: Invalid value: "${base64(bytes)}": must be a valid PKIX-serialized public key`,
    ],
    ["with a weak curve and its proof", possession(keys.p224, bytes), "elliptic public keys must use curve P256 or P384"],
  ])("%s is refused", async (_what, more, message) => {
    const answer = statusIn(await testServer("in process", enabled).post(path, request(more)))
    expect(answer).toMatchObject({ code: 422, message: expect.stringContaining(message) })
  })

  test("has no status, keeps its spec, and is found by pod and node", async () => {
    const api = testServer("in process", enabled)
    const made = objectIn(await api.post(path, { ...request(), status: { certificateChain: "x" } }), 201)
    expect(made).not.toHaveProperty("status.certificateChain")
    const changed = statusIn(await api.patch(`${path}/r`, "merge", { spec: { podUID: "other" } }))
    expect(changed.message).toContain('spec: Invalid value: {"SignerName":"example.com/signer","PodName":"web-0","PodUID":"other",')
    const names = async (fieldSelector: string) =>
      ((await api.get(path, { fieldSelector })) as { body: { value: { items: [] } } }).body.value
    expect((await names("spec.podName=web-0,spec.nodeName=n1")).items).toHaveLength(1)
    expect((await names("spec.nodeName=n2")).items).toHaveLength(0)
  })
})

const minute = 60_000
const condition = (type: string, status = "True") => ({
  type,
  status,
  reason: "Test",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
})

async function withRequest() {
  const api = testServer("in process", enabled)
  objectIn(await api.post(path, request()), 201)
  const now = Math.floor(api.clock.now() / 1000) * 1000
  const issued = (given: Partial<CertificateTemplate> = {}, more: object = {}) => {
    const { notBefore = now, notAfter = now + 120 * minute } = given
    const leaf = { isAuthority: false, publicKey: issue.spki(keys.p256), ...given, notBefore, notAfter }
    const times = { notBefore, notAfter, beginRefreshAt: notBefore + 60 * minute }
    const written = Object.fromEntries(Object.entries(times).map(([name, time]) => [name, formatTime(time)]))
    return { conditions: [condition("Issued")], certificateChain: issue.certificatePem(leaf), ...written, ...more }
  }
  return { now, issued, write: (status: object) => api.patch(`${path}/r/status`, "merge", { status }), api }
}

type Scene = Awaited<ReturnType<typeof withRequest>>
const names = { dns: [], email: [], ip: [], uri: [] }

describe("the status of a PodCertificateRequest", () => {
  test.each<[what: string, status: (scene: Scene) => object]>([
    ["issued", ({ issued }) => issued()],
    [
      "issued with an intermediate",
      ({ issued }) => ({ ...issued(), certificateChain: `${issued().certificateChain}${issue.certificatePem()}` }),
    ],
    ["issued four minutes ago", ({ issued, now }) => issued({ notBefore: now - 4 * minute })],
    ["denied", () => ({ conditions: [condition("Denied")] })],
    ["failed", () => ({ conditions: [condition("Failed")] })],
  ])("may become %s, once", async (_what, status) => {
    const scene = await withRequest()
    const written = status(scene)
    objectIn(await scene.write(written))
    expect((await scene.write(written)).status).toBe(200)
    const again = statusIn(await scene.write({ conditions: [{ ...condition("Denied"), reason: "Other" }] }))
    expect(again.message).toContain("status: Invalid value: immutable after PodCertificateRequest is issued, denied, or failed")
  })

  const chain = "status.certificateChain: Invalid value:"
  test.each<[what: string, status: (scene: Scene) => object, message: string]>([
    [
      "nothing of an outcome",
      ({ issued }) => ({ certificateChain: issued().certificateChain }),
      'status: Invalid value: status is immutable unless transitioning to "Issued", "Denied", or "Failed"',
    ],
    [
      "a certificate and a denial",
      ({ issued }) => issued({}, { conditions: [condition("Denied")] }),
      "status: Invalid value: non-condition status fields must be empty when denying or failing the PodCertificateRequest",
    ],
    [
      "two outcomes",
      () => ({ conditions: [condition("Denied"), condition("Failed")] }),
      'status.conditions.[1].type: Invalid value: "Failed": There may be at most one condition with type "Issued", "Denied", or "Failed"',
    ],
    [
      "an outcome that is not true",
      () => ({ conditions: [condition("Denied", "False")] }),
      'status.conditions.[0].status: Unsupported value: "False": supported values: "True"',
    ],
    [
      "another condition",
      () => ({ conditions: [condition("Ready")] }),
      'status.conditions.[0].type: Unsupported value: "Ready": supported values: "Issued", "Denied", "Failed"',
    ],
    [
      "an outcome without a reason",
      () => ({ conditions: [{ ...condition("Denied"), reason: "" }] }),
      "status.conditions[0].reason: Required value",
    ],
    [
      "no certificate",
      ({ issued }) => issued({}, { certificateChain: "" }),
      "issued certificate chain must contain at least one certificate",
    ],
    [
      "another block",
      ({ issued }) => issued({}, { certificateChain: issue.rewrapped(issue.certificatePem(), { type: "KEY" }) }),
      "issued certificate chain must consist entirely of CERTIFICATE PEM blocks",
    ],
    [
      "another block behind the certificate",
      ({ issued }) =>
        issued({}, { certificateChain: `${issued().certificateChain}${issue.rewrapped(issue.certificatePem(), { type: "KEY" })}` }),
      "issued certificate chain must consist entirely of CERTFICATE PEM blocks",
    ],
    [
      "a certificate of another key",
      ({ issued }) => issued({ publicKey: issue.spki(issue.authorityKey) }),
      "leaf certificate was not issued to the requested public key",
    ],
    [
      "an empty name",
      ({ issued }) => issued({ names: { ...names, dns: [""] } }),
      `${chain} "": leaf certificate should not contain empty DNSName`,
    ],
    [
      "an empty label",
      ({ issued }) => issued({ names: { ...names, dns: ["a..example"] } }),
      `${chain} "a..example": leaf certificate's DNSName should not contain '..'`,
    ],
    [
      "a name that ends with a dot",
      ({ issued }) => issued({ names: { ...names, dns: ["example."] } }),
      `${chain} "example.": leaf certificate's DNSName should not start or end with '.'`,
    ],
    [
      "no mail address",
      ({ issued }) => issued({ names: { ...names, email: ["email@@address"] } }),
      `${chain} "email@@address": leaf certificate should not contain invalid EmailAddress`,
    ],
    ["no time", ({ issued }) => issued({}, { notAfter: null }), "status.notAfter: Required value: must be present and consistent with"],
    [
      "no time of renewal",
      ({ issued }) => issued({}, { beginRefreshAt: null }),
      "status.beginRefreshAt: Required value: must be present and in the range [notbefore+10min, notafter-10min]",
    ],
    [
      "another beginning",
      ({ issued, now }) => issued({}, { notBefore: formatTime(now + 1000) }),
      "must be set to the NotBefore time encoded in the leaf certificate",
    ],
    [
      "another end",
      ({ issued, now }) => issued({}, { notAfter: formatTime(now) }),
      "must be set to the NotAfter time encoded in the leaf certificate",
    ],
    [
      "a beginning long ago",
      ({ issued, now }) => issued({ notBefore: now - 5 * minute }),
      "must be set to within 5 minutes of kube-apiserver's current time",
    ],
    [
      "59 minutes",
      ({ issued, now }) => issued({ notAfter: now + 59 * minute }),
      `${chain} 3540000000000: leaf certificate lifetime must be >= 1 hour`,
    ],
    [
      "25 hours",
      ({ issued, now }) => issued({ notAfter: now + 1500 * minute }),
      `${chain} 90000000000000: leaf certificate lifetime must be <= spec.maxExpirationSeconds (86400)`,
    ],
    [
      "a renewal at once",
      ({ issued, now }) => issued({}, { beginRefreshAt: formatTime(now + 9 * minute) }),
      "must be at least 10 minutes after status.notBefore",
    ],
    [
      "a renewal at the end",
      ({ issued, now }) => issued({}, { beginRefreshAt: formatTime(now + 111 * minute) }),
      "must be at least 10 minutes before status.notAfter",
    ],
  ])("may not have %s", async (_what, status, message) => {
    const scene = await withRequest()
    expect(statusIn(await scene.write(status(scene)))).toMatchObject({ code: 422, message: expect.stringContaining(message) })
  })

  test("of a certificate of a hundred years says its lifetime in all digits", async () => {
    const { issued, write } = await withRequest()
    const { message } = statusIn(await write(issued({ notAfter: Date.UTC(2099, 0, 1) })))
    expect(message).toMatch(/certificateChain: Invalid value: \d{19}: leaf certificate lifetime must be <=/)
  })
})

test("a certificate of another kind of key leaves the connections of clients open", async () => {
  const api = testServer("over TLS", enabled)
  objectIn(await api.post(path, request()), 201)
  const certificateChain = issue.certificatePem({ isAuthority: false, publicKey: issue.spki(keys.rsa) })
  for (let times = 0; times < 3; times++) {
    const answer = await api.patch(`${path}/r/status`, "merge", { status: { conditions: [condition("Issued")], certificateChain } })
    expect(statusIn(answer).message).toContain("leaf certificate was not issued to the requested public key")
  }
})
