import type { CertificateSigningRequest } from "@pilothouse/api/certificates/v1"
import { describe, expect, test } from "vitest"
import { signerNames } from "../certificates/kubelet-request.ts"
import { kubeletRequest, requestPem, servingRequest, signingRequest } from "../certificates/testing/requests.ts"
import { decide, recognize } from "./controller.ts"

const usages = ["digital signature", "key encipherment", "client auth"]
const signerName = signerNames.kubeletClient
const nodes = { commonName: "system:node:a", organizations: ["system:nodes"] }
const own = signingRequest({ pem: kubeletRequest, usages, signerName, username: "system:node:a" })

test.each<[name: string, request: CertificateSigningRequest, rights: readonly string[] | string]>([
  ["a kubelet that renews its own", own, ["selfnodeclient", "nodeclient"]],
  ["a node that joins", signingRequest({ pem: kubeletRequest, usages, signerName, username: "system:bootstrap:abcdef" }), ["nodeclient"]],
  [
    "keys that do not encipher",
    signingRequest({ pem: kubeletRequest, usages: ["digital signature", "client auth"], signerName }),
    ["nodeclient"],
  ],
  ["another signer", signingRequest({ pem: kubeletRequest, usages, signerName: signerNames.apiServerClient }), []],
  [
    "what a kubelet serves with",
    signingRequest({ pem: servingRequest, usages: ["digital signature", "server auth"], signerName: signerNames.kubeletServing }),
    [],
  ],
  ["another organization", signingRequest({ pem: requestPem({ ...nodes, organizations: ["system:masters"] }), usages, signerName }), []],
  [
    "a second organization",
    signingRequest({ pem: requestPem({ ...nodes, organizations: ["system:nodes", "x"] }), usages, signerName }),
    [],
  ],
  ["a user", signingRequest({ pem: requestPem({ ...nodes, commonName: "jane" }), usages, signerName, username: "jane" }), []],
  ["a DNS name", signingRequest({ pem: requestPem({ ...nodes, dns: ["a"] }), usages, signerName }), []],
  ["an email address", signingRequest({ pem: requestPem({ ...nodes, email: ["a@b.c"] }), usages, signerName }), []],
  ["a URI", signingRequest({ pem: requestPem({ ...nodes, uri: ["a:b"] }), usages, signerName }), []],
  ["one usage more", signingRequest({ pem: kubeletRequest, usages: [...usages, "server auth"], signerName }), []],
  ["one usage less", signingRequest({ pem: kubeletRequest, usages: ["client auth"], signerName }), []],
  ["no request", signingRequest({ pem: "x", usages, signerName }), 'unable to parse csr "csr": PEM block type must be CERTIFICATE REQUEST'],
])("%s", (_name, request, rights) => {
  expect(recognize(request)).toEqual(rights)
})

describe("a request of a kubelet", () => {
  const now = Date.UTC(2026, 0, 1)

  test.each([
    ["selfnodeclient", "Auto approving self kubelet client certificate after SubjectAccessReview."],
    ["nodeclient", "Auto approving kubelet client certificate after SubjectAccessReview."],
  ] as const)("is approved by the right %s", (granted, message) => {
    const operations = decide({ request: own, tried: [granted], granted }, now).steps.flatMap((step) => step.operations)
    const conditions = [{ type: "Approved", status: "True", reason: "AutoApproved", message }]
    expect(operations).toMatchObject([{ do: "update", subresource: "approval", object: { status: { conditions } } }])
  })

  test.each([
    [0, 1000],
    [5000, 5000],
    [5_000_000, 1_000_000],
  ])("without the right waits: after %i ms another %i", (age, after) => {
    const request = { ...own, metadata: { name: "csr", creationTimestamp: new Date(now - age).toISOString() } }
    const plan = decide({ request, tried: ["selfnodeclient", "nodeclient"] }, now)
    expect(plan.steps).toEqual([])
    expect(plan.requeue?.after).toBe(after)
    expect(plan.summary).toBe('recognized csr "csr" as [selfnodeclient nodeclient] but subject access review was not approved')
  })
})
