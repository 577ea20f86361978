import { X509Certificate } from "node:crypto"
import { formatTime } from "@pilothouse/api"
import type { CertificateSigningRequest } from "@pilothouse/api/certificates/v1"
import { describe, expect, test } from "vitest"
import { signerNames } from "../certificates/kubelet-request.ts"
import { kubeletRequest, requestPem, servingRequest, signingRequest, testAuthority } from "../certificates/testing/requests.ts"
import { decide, lifetime, validity } from "./decide.ts"

const now = Date.UTC(2026, 0, 1)
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const authority = testAuthority(now + 400 * day)
const signers = Object.fromEntries(Object.values(signerNames).map((name) => [name, () => authority]))

function statusOf(request: CertificateSigningRequest, { duration = 365 * day, only = signers } = {}) {
  const plan = decide(request, { now, serialNumber: () => Uint8Array.of(7), signers: only, duration })
  const [operation, ...more] = plan.steps.flatMap(({ operations }) => operations)
  expect(more).toEqual([])
  if (operation === undefined) return { nothing: plan.summary }
  expect(operation).toMatchObject({ do: "status" })
  const { certificate, conditions = [] } = (operation as unknown as { status: NonNullable<CertificateSigningRequest["status"]> }).status
  return {
    certificate: certificate && new X509Certificate(Buffer.from(certificate, "base64")),
    failed: conditions.find(({ type }) => type === "Failed"),
  }
}

const user = requestPem({ commonName: "jane", organizations: ["dev", "ops"] })
const clientUsages = ["digital signature", "key encipherment", "client auth"]
const servingUsages = ["digital signature", "key encipherment", "server auth"]
const { kubeletServing, kubeletClient, apiServerClient, legacyUnknown } = signerNames

describe("an approved request is signed", () => {
  test.each<[name: string, signerName: string, pem: string, usages: readonly string[]]>([
    ["of a client of the API server", apiServerClient, user, clientUsages],
    ["of such a client without key encipherment", apiServerClient, user, ["digital signature", "client auth"]],
    ["of such a client for nothing else", apiServerClient, user, ["client auth"]],
    ["of a kubelet as client", kubeletClient, kubeletRequest, clientUsages],
    ["of a kubelet as client without key encipherment", kubeletClient, kubeletRequest, ["digital signature", "client auth"]],
    ["of a kubelet as server", kubeletServing, servingRequest, servingUsages],
    ["of a kubelet as server without key encipherment", kubeletServing, servingRequest, ["digital signature", "server auth"]],
    ["of the legacy signer, whatever it says", legacyUnknown, user, ["signing", "code signing"]],
  ])("%s", (_name, signerName, pem, usages) => {
    expect(statusOf(signingRequest({ signerName, pem, usages, conditions: ["Approved"] })).certificate).toBeInstanceOf(X509Certificate)
  })

  test("and the certificate says what the request says, and no more", () => {
    const { certificate } = statusOf(
      signingRequest({ signerName: kubeletServing, pem: servingRequest, usages: servingUsages, conditions: ["Approved"] }),
    )
    expect(certificate).toMatchObject({
      subject: "O=system:nodes\nCN=system:node:a",
      issuer: "CN=test-ca",
      subjectAltName: "DNS:a, IP Address:10.0.0.1",
      serialNumber: "07",
      ca: false,
      keyUsage: ["1.3.6.1.5.5.7.3.1"],
      validFrom: "Dec 31 23:55:00 2025 GMT",
      validTo: "Dec 31 23:55:00 2026 GMT",
    })
  })
})

describe("a request that its signer does not allow fails", () => {
  const nodes = { commonName: "system:node:a", organizations: ["system:nodes"] }
  const client = "usages did not match [client auth digital signature key encipherment]"
  const serving = "usages did not match [digital signature key encipherment server auth]"
  test.each<[name: string, signerName: string, pem: string, usages: readonly string[], message: string]>([
    ["a client that serves", apiServerClient, user, ["client auth", "server auth"], "invalid usage for client certificate: server auth"],
    ["a client that is none", apiServerClient, user, ["digital signature"], "missing required usage for client certificate: client auth"],
    ["another organization", kubeletClient, user, clientUsages, "subject organization is not system:nodes"],
    [
      "another name",
      kubeletClient,
      requestPem({ ...nodes, commonName: "a" }),
      clientUsages,
      "subject common name does not begin with system:node:",
    ],
    ["a DNS name", kubeletClient, requestPem({ ...nodes, dns: ["a"] }), clientUsages, "DNS subjectAltNames are not allowed"],
    ["an email address", kubeletClient, requestPem({ ...nodes, email: ["a@b.c"] }), clientUsages, "Email subjectAltNames are not allowed"],
    ["an IP address", kubeletClient, requestPem({ ...nodes, ip: [[1, 2, 3, 4]] }), clientUsages, "IP subjectAltNames are not allowed"],
    ["a URI", kubeletClient, requestPem({ ...nodes, uri: ["a:b"] }), clientUsages, "URI subjectAltNames are not allowed"],
    ["too few usages", kubeletClient, kubeletRequest, ["client auth"], client],
    ["too many usages", kubeletClient, kubeletRequest, [...clientUsages, "server auth"], client],
    ["another organization that serves", kubeletServing, user, servingUsages, "subject organization is not system:nodes"],
    ["no name to serve", kubeletServing, kubeletRequest, servingUsages, "DNS or IP subjectAltName is required"],
    [
      "an email address that serves",
      kubeletServing,
      requestPem({ ...nodes, dns: ["a"], email: ["a@b.c"] }),
      servingUsages,
      "Email subjectAltNames are not allowed",
    ],
    [
      "a URI that serves",
      kubeletServing,
      requestPem({ ...nodes, dns: ["a"], uri: ["a:b"] }),
      servingUsages,
      "URI subjectAltNames are not allowed",
    ],
    ["usages of a client that serves", kubeletServing, servingRequest, clientUsages, serving],
    [
      "another name that serves",
      kubeletServing,
      requestPem({ ...nodes, commonName: "a", dns: ["a"] }),
      servingUsages,
      "subject common name does not begin with system:node:",
    ],
  ])("%s", (_name, signerName, pem, usages, message) => {
    const { certificate, failed } = statusOf(signingRequest({ signerName, pem, usages, conditions: ["Approved"] }))
    expect(certificate).toBeUndefined()
    expect(failed).toEqual({ type: "Failed", status: "True", reason: "SignerValidationFailure", message, lastUpdateTime: formatTime(now) })
  })
})

describe("nothing is done", () => {
  const given = { signerName: apiServerClient, pem: user, usages: clientUsages }
  test.each<[name: string, request: CertificateSigningRequest, summary: string]>([
    ["without an approval", signingRequest(given), "it is not approved"],
    ["for one that is denied too", signingRequest({ ...given, conditions: ["Approved", "Denied"] }), "it is not approved"],
    ["for one that failed", signingRequest({ ...given, conditions: ["Approved", "Failed"] }), "it has failed"],
    [
      "for another signer",
      signingRequest({ ...given, signerName: "example.com/x", conditions: ["Approved"] }),
      "no authority here signs for example.com/x",
    ],
    [
      "for an unknown signer of Kubernetes",
      signingRequest({ ...given, signerName: "kubernetes.io/x", conditions: ["Approved"] }),
      "no authority here signs for kubernetes.io/x",
    ],
    [
      "for what every object has",
      signingRequest({ ...given, signerName: "constructor", conditions: ["Approved"] }),
      "no authority here signs for constructor",
    ],
    [
      "for what is no request",
      signingRequest({ ...given, pem: "x", conditions: ["Approved"] }),
      'unable to parse csr "csr": PEM block type must be CERTIFICATE REQUEST',
    ],
  ])("%s", (_name, request, summary) => {
    expect(statusOf(request)).toEqual({ nothing: summary })
  })

  test("for a signer without an authority, while the others have theirs", () => {
    const only = { [kubeletClient]: () => authority }
    expect(statusOf(signingRequest({ ...given, conditions: ["Approved"] }), { only })).toEqual({
      nothing: `no authority here signs for ${apiServerClient}`,
    })
  })
})

test("an unknown usage is an error that is tried again", () => {
  const request = signingRequest({ signerName: legacyUnknown, pem: user, usages: ["signing", "x y"], conditions: ["Approved"] })
  expect(() => statusOf(request)).toThrow('unrecognized usage values: ["x y"]')
})

test.each<[name: string, seconds: number | undefined, longest: number, expected: number]>([
  ["a shorter life can be requested", 13_000, day, 13_000_000],
  ["a longer life cannot", 10 * 86_400, day, day],
  ["a negative one is ten minutes", -600, day, 10 * minute],
  ["less than ten minutes is ten minutes", 120, day, 10 * minute],
  ["exactly ten minutes are", 600, day, 10 * minute],
  ["the longest life can be requested", 86_400, day, day],
  ["without a request it is the longest", undefined, day, day],
])("%s", (_name, seconds, longest, expected) => {
  expect(lifetime(seconds, longest)).toBe(expected)
})

test.each<[name: string, life: number, end: number, expected: readonly [number, number]]>([
  ["a short life is not shortened", hour, 10 * day, [-5 * minute, hour]],
  ["a very short one neither", minute, 10 * day, [-5 * minute, minute]],
  ["a long one ends as much earlier as it begins", day, 10 * day, [-5 * minute, day - 5 * minute]],
  ["eight hours are long", 8 * hour, 10 * day, [-5 * minute, 8 * hour - 5 * minute]],
  ["none is longer than its authority's", 20 * day, 10 * day, [-5 * minute, 10 * day]],
])("%s", (_name, life, end, [from, to]) => {
  expect(validity(life, now, { notAfter: now + end })).toEqual({ notBefore: now + from, notAfter: now + to })
})

test("an authority that has ended signs nothing", () => {
  expect(() => validity(hour, now, { notAfter: now - 6 * minute })).toThrow(
    "error auto signing csr: the signer has expired: NotAfter=2025-12-31T23:54:00Z",
  )
  expect(() => validity(hour, now, { notAfter: now })).toThrow(
    "error auto signing csr: refusing to sign a certificate that expired in the past: NotAfter=2026-01-01T00:00:00Z",
  )
})
