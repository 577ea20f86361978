import { expect, test } from "vitest"
import { objectIn, statusIn, testServer } from "../../testing/server.ts"
import { certificateRequest } from "../../validation/testing/certificate-requests.ts"

const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
const rbac = "/apis/rbac.authorization.k8s.io/v1"
const jane = { name: "jane", groups: ["system:authenticated"] }
/** CN=u, O=system:masters; its key is gone. */
const masters = `-----BEGIN CERTIFICATE REQUEST-----
MIHgMIGHAgEAMCUxCjAIBgNVBAMMAXUxFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJz
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/AilO3WbVprzY/PDB1z9/cFfVQOU
t9Jm8xqLCwLxtYo+jdfH1EZfuKo0XYS7l+7+e2AruEeELkENnJoDAe5ptqAAMAoG
CCqGSM49BAMCA0gAMEUCIQCa/C4xx0LxBjr/ijZWo+/Ru2IesfM09UTJwVVoZxDX
+AIgQbtMI70FWMW51IiOviURSwVrgnGK7yRqzEhiX/2uSMo=
-----END CERTIFICATE REQUEST-----
`

async function withRequest(signers: readonly string[], verbs: readonly string[]) {
  const api = testServer("in process", { authorizationModes: ["RBAC"] })
  const spec = { signerName: "example.com/signer", usages: ["client auth"], request: certificateRequest }
  const made = objectIn(await api.post(requests, { metadata: { name: "r" }, spec }), 201)
  const update = {
    verbs: ["update"],
    apiGroups: ["certificates.k8s.io"],
    resources: ["certificatesigningrequests/approval", "certificatesigningrequests/status"],
  }
  const rights = { verbs, apiGroups: ["certificates.k8s.io"], resources: ["signers"], resourceNames: signers }
  await api.post(`${rbac}/clusterroles`, { metadata: { name: "x" }, rules: [update, ...(signers.length > 0 ? [rights] : [])] })
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }]
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "x" }
  await api.post(`${rbac}/clusterrolebindings`, { metadata: { name: "x" }, roleRef, subjects })
  const put = (subresource: string, status: object) =>
    api.as(jane)("PUT", `${requests}/r/${subresource}`, { body: { ...made, metadata: { name: "r" }, status } })
  return { put }
}

const refused = (verb: string) =>
  `certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to ${verb} requests with signerName "example.com/signer"`
const approved = { conditions: [{ type: "Approved", status: "True" }] }
const failed = { conditions: [{ type: "Failed", status: "True" }] }
const failedLater = { conditions: [...approved.conditions, ...failed.conditions] }

test.each<[name: string, signers: readonly string[], allowed: boolean]>([
  ["the signer's right", ["example.com/signer"], true],
  ["the right for all signers of its domain", ["example.com/*"], true],
  ["the right for another signer", ["example.com/other"], false],
  ["the right for another domain", ["other.com/*"], false],
  ["no right", [], false],
])("with %s", async (_name, signers, allowed) => {
  const { put } = await withRequest(signers, ["approve", "sign"])
  for (const [subresource, status, verb] of [
    ["approval", approved, "approve"],
    ["status", allowed ? failedLater : failed, "sign"],
  ] as const) {
    const answer = await put(subresource, status)
    if (allowed) expect(answer.status).toBe(200)
    else expect(statusIn(answer)).toMatchObject({ code: 403, message: refused(verb) })
  }
})

test("the right to approve is none to sign, and the other way round", async () => {
  expect(statusIn(await (await withRequest(["example.com/signer"], ["approve"])).put("status", failed)).message).toBe(refused("sign"))
  expect(statusIn(await (await withRequest(["example.com/signer"], ["sign"])).put("approval", approved)).message).toBe(refused("approve"))
})

test("a status that changes neither certificate nor conditions needs no right", async () => {
  expect((await (await withRequest([], [])).put("status", {})).status).toBe(200)
})

test.each<[name: string, signerName: string, allowed: boolean]>([
  ["of the signer of clients is refused", "kubernetes.io/kube-apiserver-client", false],
  ["of another signer is not", "example.com/signer", true],
])("a request for system:masters %s", async (_name, signerName, allowed) => {
  const spec = { signerName, usages: ["client auth"], request: Buffer.from(masters).toString("base64") }
  const answer = await testServer().post(requests, { metadata: { name: "r" }, spec })
  if (allowed) return expect(answer.status).toBe(201)
  expect(statusIn(answer)).toMatchObject({
    code: 403,
    message:
      'certificatesigningrequests.certificates.k8s.io "r" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
  })
})
