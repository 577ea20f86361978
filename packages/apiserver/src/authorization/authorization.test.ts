import { expect, test } from "vitest"
import { anonymous } from "../authentication/identity.ts"
import { everyWay, objectIn, statusIn } from "../testing/server.ts"
import { certificateRequest, certificateRequests } from "../validation/testing/certificate-requests.ts"
import type { Attributes, Authorizer } from "./authorizer.ts"
import { allowAuthenticated } from "./fixed-authorizers.ts"

/** The claims of another user under a signature that is valid for a different token. */
const forged = Buffer.from(certificateRequests.ecdsa.replace("MAgGA1UEAwwBdT", "MAgGA1UEAwwBdj")).toString("base64")

everyWay("authorization", (testServer) => {
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
    return { api: testServer({ authorizer }), asked }
  }

  const user = 'User "kubernetes-admin" cannot'

  test.each([
    ["GET", "/api/v1/pods", `pods is forbidden: ${user} list resource "pods" in API group "" at the cluster scope`],
    ["GET", "/api/v1/namespaces/a/pods", `pods is forbidden: ${user} list resource "pods" in API group "" in the namespace "a"`],
    ["GET", "/api/v1/namespaces/a/pods/p", `pods "p" is forbidden: ${user} get resource "pods" in API group "" in the namespace "a"`],
    [
      "GET",
      "/api/v1/namespaces/a/pods/p/log",
      `pods "p" is forbidden: ${user} get resource "pods/log" in API group "" in the namespace "a"`,
    ],
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
      authorize: (who, what) =>
        who.name === "u" ? { allowed: false, denied: true, reason: "no" } : allowAuthenticated.authorize(who, what),
      rules: allowAuthenticated.rules,
    }
    const api = testServer({ authorizer })
    const spec = { user: "u", resourceAttributes: { verb: "get", resource: "pods" } }
    const review = objectIn(await api.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", { spec }), 201)
    expect(review.status).toEqual({ allowed: false, denied: true, reason: "no" })
  })

  test("the unknown are let in to what is public, and to nothing else", async () => {
    const ask = testServer().as(anonymous)
    expect((await ask("GET", "/readyz")).status).toBe(200)
    expect((await ask("GET", "/version")).status).toBe(200)
    expect(statusIn(await ask("GET", "/apis"))).toMatchObject({
      code: 403,
      message: 'forbidden: User "system:anonymous" cannot get path "/apis"',
    })
    expect((await ask("GET", "/api/v1/pods")).status).toBe(403)
  })

  const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
  const spec = { request: certificateRequest, signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] }

  test("a certificate is asked for by who came in, whatever the body says", async () => {
    const identity = { name: "u", uid: "1", groups: ["g"], extra: { k: ["v"] } }
    const body = { metadata: { name: "a" }, spec: { ...spec, username: "root", groups: ["system:masters"], uid: "0" } }
    const answer = await testServer().as(identity)("POST", requests, { body })
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
    ["is not signed with its key", { ...spec, request: forged }, "spec.request"],
    ["has a usage that is none", { ...spec, usages: ["anything"] }, "spec.usages[0]"],
    ["lasts no ten minutes", { ...spec, expirationSeconds: 599 }, "spec.expirationSeconds"],
    ["has no usages", { ...spec, usages: [] }, "spec.usages"],
    ["names no signer", { ...spec, signerName: "" }, "spec.signerName"],
    ["names half a signer", { ...spec, signerName: "signer" }, "spec.signerName"],
  ])("what %s is refused", async (_what, body, field) => {
    const status = statusIn(await testServer().post(requests, { metadata: { name: "a" }, spec: body }))
    expect(status).toMatchObject({ code: 422, details: { causes: [{ field }] } })
  })
})
