import { valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { anonymous } from "../identity.ts"
import { objectIn, statusIn, testServer } from "../test-server.ts"
import { allowAuthenticated } from "./allow-authenticated.ts"
import type { Attributes, Authorizer } from "./authorizer.ts"

/** Refuses everything, and remembers what it was asked. */
function refusing(reason?: string) {
  const asked: Attributes[] = []
  const authorizer: Authorizer = {
    authorize(_who, what) {
      asked.push(what)
      return { allowed: false, ...(reason !== undefined && { reason }) }
    },
    rules: allowAuthenticated.rules,
  }
  return { api: testServer("in process", { authorizer }), asked }
}

const user = 'User "kubernetes-admin" cannot'

test.each([
  ["GET", "/api/v1/pods", `pods is forbidden: ${user} list resource "pods" in API group "" at the cluster scope`],
  ["GET", "/api/v1/namespaces/a/pods", `pods is forbidden: ${user} list resource "pods" in API group "" in the namespace "a"`],
  ["GET", "/api/v1/namespaces/a/pods/p", `pods "p" is forbidden: ${user} get resource "pods" in API group "" in the namespace "a"`],
  ["GET", "/api/v1/namespaces/a/pods/p/log", `pods "p" is forbidden: ${user} get resource "pods/log" in API group "" in the namespace "a"`],
  [
    "DELETE",
    "/apis/apps/v1/namespaces/a/deployments",
    `deployments.apps is forbidden: ${user} deletecollection resource "deployments" in API group "apps" in the namespace "a"`,
  ],
  ["GET", "/api/v1/namespaces/a", `namespaces "a" is forbidden: ${user} get resource "namespaces" in API group "" in the namespace "a"`],
  ["GET", "/api/v1/nodes/n", `nodes "n" is forbidden: ${user} get resource "nodes" in API group "" at the cluster scope`],
  ["POST", "/metrics", `forbidden: ${user} post path "/metrics"`],
] as const)("%s %s is refused in upstream's words", async (verb, path, message) => {
  const { api } = refusing()
  expect(statusIn(await api.ask(verb, path))).toMatchObject({ code: 403, reason: "Forbidden", message })
})

test("a reason is said, and nothing is done", async () => {
  const { api, asked } = refusing("it is Sunday")
  const answer = await api.ask("POST", "/api/v1/namespaces/default/configmaps", { body: { metadata: { name: "a" } } })
  expect(statusIn(answer).message).toMatch(/in the namespace "default": it is Sunday$/)
  expect(asked).toEqual([
    { verb: "create", group: "", version: "v1", resource: "configmaps", subresource: "", namespace: "default", name: "" },
  ])
})

test("the reviews ask the same authorizer", async () => {
  const authorizer: Authorizer = {
    authorize: (who, what) => (who.name === "u" ? { allowed: false, denied: true, reason: "no" } : allowAuthenticated.authorize(who, what)),
    rules: allowAuthenticated.rules,
  }
  const api = testServer("in process", { authorizer })
  const spec = { user: "u", resourceAttributes: { verb: "get", resource: "pods" } }
  const review = objectIn(await api.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", { spec }), 201)
  expect(review.status).toEqual({ allowed: false, denied: true, reason: "no" })
})

test("the unknown are let in to what is public, and to nothing else", async () => {
  const { server } = testServer()
  const ask = (verb: "GET" | "POST", path: string) =>
    server.transport(anonymous)({ verb, path, query: {}, headers: {}, ...(verb === "POST" && { body: valueBody({}) }) })
  expect((await ask("GET", "/readyz")).status).toBe(200)
  expect((await ask("GET", "/version")).status).toBe(200)
  expect(statusIn(await ask("GET", "/apis"))).toMatchObject({
    code: 403,
    message: 'forbidden: User "system:anonymous" cannot get path "/apis"',
  })
  expect((await ask("GET", "/api/v1/pods")).status).toBe(403)
})

const csr = `-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----\n`
const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
const spec = { request: Buffer.from(csr).toString("base64"), signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] }

test("a certificate is asked for by who came in, whatever the body says", async () => {
  const { server } = testServer()
  const identity = { name: "u", uid: "1", groups: ["g"], extra: { k: ["v"] } }
  const body = valueBody({ metadata: { name: "a" }, spec: { ...spec, username: "root", groups: ["system:masters"], uid: "0" } })
  const answer = await server.transport(identity)({ verb: "POST", path: requests, query: {}, headers: {}, body })
  expect(objectIn(answer, 201).spec).toEqual({ ...spec, username: "u", uid: "1", groups: ["g"], extra: { k: ["v"] } })
})

test("what is asked for does not change, and can be chosen by its signer", async () => {
  const api = testServer()
  await api.post(requests, { metadata: { name: "a" }, spec })
  const changed = objectIn(await api.patch(`${requests}/a`, "merge", { spec: { signerName: "other.io/x", username: "root" } }))
  expect(changed.spec).toMatchObject({ signerName: spec.signerName, username: "kubernetes-admin" })
  const found = async (signer: string) => objectIn(await api.get(requests, { fieldSelector: `spec.signerName=${signer}` })).items?.length
  expect([await found(spec.signerName), await found("other.io/x")]).toEqual([1, 0])
})

test.each([
  ["is no request", { ...spec, request: "aGk=" }, "spec.request"],
  ["has no usages", { ...spec, usages: [] }, "spec.usages"],
  ["names no signer", { ...spec, signerName: "" }, "spec.signerName"],
  ["names half a signer", { ...spec, signerName: "signer" }, "spec.signerName"],
])("what %s is refused", async (_what, body, field) => {
  const status = statusIn(await testServer().post(requests, { metadata: { name: "a" }, spec: body }))
  expect(status).toMatchObject({ code: 422, details: { causes: [{ field }] } })
})
