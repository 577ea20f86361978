import { expect, test } from "vitest"
import { objectIn, statusIn, testServer } from "../../testing/server.ts"
import { authorityKey, emptyRequest } from "../../validation/certificates/testing/issue.ts"

const path = "/apis/certificates.k8s.io/v1beta1/namespaces/default/podcertificaterequests"
const rbac = "/apis/rbac.authorization.k8s.io/v1"
const jane = { name: "jane", groups: ["system:authenticated"] }
const stubPKCS10Request = Buffer.from(emptyRequest(authorityKey)).toString("base64")
const of = (kind: string) => ({ [`${kind}Name`]: kind.toLowerCase(), [`${kind}UID`]: "uid" })
const spec = { signerName: "example.com/signer", ...of("pod"), ...of("serviceAccount"), ...of("node"), stubPKCS10Request }
const denied = { type: "Denied", status: "True", reason: "Test", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }

test.each<[name: string, signers: readonly string[], allowed: boolean]>([
  ["the signer's right", ["example.com/signer"], true],
  ["the right for all signers of its domain", ["example.com/*"], true],
  ["the right for another signer", ["example.com/other"], false],
  ["no right", [], false],
])("a user with %s ends a request, or does not", async (_name, signers, allowed) => {
  const api = testServer("in process", { authorizationModes: ["RBAC"], enabledVersions: ["certificates.k8s.io/v1beta1"] })
  objectIn(await api.post(path, { metadata: { name: "r" }, spec }), 201)
  const apiGroups = ["certificates.k8s.io"]
  const rules = [
    { verbs: ["patch"], apiGroups, resources: ["podcertificaterequests/status"] },
    ...signers.map((name) => ({ verbs: ["sign"], apiGroups, resources: ["signers"], resourceNames: [name] })),
  ]
  await api.post(`${rbac}/clusterroles`, { metadata: { name: "x" }, rules })
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }]
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "x" }
  await api.post(`${rbac}/clusterrolebindings`, { metadata: { name: "x" }, roleRef, subjects })
  const write = (status: object) =>
    api.as(jane)("PATCH", `${path}/r/status`, { body: { status }, headers: { "content-type": "application/merge-patch+json" } })
  expect((await write({})).status).toBe(200)
  const answer = await write({ conditions: [denied] })
  if (allowed) return expect(answer.status).toBe(200)
  expect(statusIn(answer)).toMatchObject({
    code: 422,
    message: expect.stringContaining('spec.signerName: Forbidden: User "jane" is not permitted to "sign" for signer "example.com/signer"'),
  })
})
