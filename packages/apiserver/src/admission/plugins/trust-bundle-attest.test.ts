import { expect, test } from "vitest"
import { objectIn, statusIn, testServer } from "../../testing/server.ts"
import { certificatePem } from "../../validation/certificates/testing/issue.ts"

const bundles = "/apis/certificates.k8s.io/v1beta1/clustertrustbundles"
const rbac = "/apis/rbac.authorization.k8s.io/v1"
const jane = { name: "jane", groups: ["system:authenticated"] }
const trustBundle = certificatePem()

/** A server on which jane writes all bundles, and may attest for these signers. */
async function withRights(signers: readonly string[]) {
  const api = testServer("in process", { authorizationModes: ["RBAC"], enabledVersions: ["certificates.k8s.io/v1beta1"] })
  const apiGroups = ["certificates.k8s.io"]
  const rules = [
    { verbs: ["create", "update", "patch"], apiGroups, resources: ["clustertrustbundles"] },
    ...signers.map((name) => ({ verbs: ["attest"], apiGroups, resources: ["signers"], resourceNames: [name] })),
  ]
  await api.post(`${rbac}/clusterroles`, { metadata: { name: "x" }, rules })
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "x" }
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }]
  await api.post(`${rbac}/clusterrolebindings`, { metadata: { name: "x" }, roleRef, subjects })
  const create = (name: string, signerName?: string) =>
    api.as(jane)("POST", bundles, { body: { metadata: { name }, spec: { trustBundle, ...(signerName && { signerName }) } } })
  return { api, create, patch: (name: string, body: object) => patchAs(api, name, body) }
}

function patchAs(api: ReturnType<typeof testServer>, name: string, body: object) {
  return api.as(jane)("PATCH", `${bundles}/${name}`, { body, headers: { "content-type": "application/merge-patch+json" } })
}

const own = "example.com:signer:a"
const refusal = `clustertrustbundles.certificates.k8s.io "${own}" is forbidden: user not permitted to attest for signerName "example.com/signer"`

test.each<[name: string, signers: readonly string[], allowed: boolean]>([
  ["the signer's right", ["example.com/signer"], true],
  ["the right for all signers of its domain", ["example.com/*"], true],
  ["the right for another signer", ["example.com/other"], false],
  ["the right for another domain", ["other.com/*"], false],
  ["no right", [], false],
])("with %s", async (_name, signers, allowed) => {
  const answer = await (await withRights(signers)).create(own, "example.com/signer")
  if (allowed) return expect(answer.status).toBe(201)
  expect(statusIn(answer)).toMatchObject({ code: 403, message: refusal })
})

test("a bundle of no signer needs no right", async () => {
  expect((await (await withRights([])).create("a")).status).toBe(201)
})

test("an update needs the right too, but for owners and finalizers", async () => {
  const { api, patch } = await withRights([])
  objectIn(await api.post(bundles, { metadata: { name: own }, spec: { trustBundle, signerName: "example.com/signer" } }), 201)
  expect((await patch(own, { metadata: { finalizers: ["example.com/f"] } })).status).toBe(200)
  expect((await patch(own, {})).status).toBe(200)
  expect(statusIn(await patch(own, { metadata: { labels: { a: "b" } } })).message).toBe(refusal)
  const anchors = { spec: { trustBundle: certificatePem({ name: "other" }) } }
  expect(statusIn(await patch(own, anchors)).message).toBe(refusal)
})
