import { expect, test } from "vitest"
import { objectIn, testServer } from "../test-server.ts"

test("SelfSubjectReview says who asks, and is not kept", async () => {
  const review = objectIn(await testServer().post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}), 201)
  expect(review).toMatchObject({ kind: "SelfSubjectReview", status: { userInfo: { username: "kubernetes-admin" } } })
  expect(review.metadata.resourceVersion).toBeUndefined()
})

test("TokenReview says whose a token is", async () => {
  const api = testServer("in process", { tokenReview: (token) => (token === "t" ? { name: "u", groups: ["g"] } : undefined) })
  const ask = async (token: string) =>
    objectIn(await api.post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token } }), 201).status
  expect(await ask("t")).toEqual({ authenticated: true, user: { username: "u", groups: ["g"] } })
  expect(await ask("x")).toMatchObject({ error: "[invalid bearer token]" })
})

test.each(["selfsubjectaccessreviews", "subjectaccessreviews"])("%s allows whoever is known", async (plural) => {
  const spec = { user: "u", resourceAttributes: { verb: "get", resource: "pods" } }
  expect(objectIn(await testServer().post(`/apis/authorization.k8s.io/v1/${plural}`, { spec }), 201).status).toEqual({ allowed: true })
})
