import { generateKeyPairSync } from "node:crypto"
import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn } from "../testing/server.ts"

everyWay("reviews", (testServer) => {
  test("SelfSubjectReview says who asks, and is not kept", async () => {
    const review = objectIn(await testServer().post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}), 201)
    expect(review).toMatchObject({ kind: "SelfSubjectReview", status: { userInfo: { username: "kubernetes-admin" } } })
    expect(review.metadata.resourceVersion).toBeUndefined()
    expect(review.metadata.creationTimestamp).toMatch(/Z$/)
  })

  test("TokenReview says whose a token is", async () => {
    const api = testServer({ tokens: new Map([["t", { name: "u", groups: ["g"] }]]) })
    const ask = async (token: string) =>
      objectIn(await api.post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token } }), 201).status
    expect(await ask("t")).toEqual({ authenticated: true, user: { username: "u", groups: ["g", "system:authenticated"] } })
    expect(await ask("x")).toMatchObject({ error: "invalid bearer token" })
  })

  const reviews = "/apis/authorization.k8s.io/v1"
  const local = "/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews"
  const resourceAttributes = { verb: "get", resource: "pods" }
  const inDefault = { ...resourceAttributes, namespace: "default" }

  test.each([
    [`${reviews}/selfsubjectaccessreviews`, { resourceAttributes }],
    [`${reviews}/selfsubjectaccessreviews`, { nonResourceAttributes: { verb: "get", path: "/metrics" } }],
    [`${reviews}/subjectaccessreviews`, { user: "u", resourceAttributes }],
    [local, { user: "u", resourceAttributes: inDefault }],
    // Asking is no writing: the namespace need not be there.
    [local.replace("default", "nowhere"), { user: "u", resourceAttributes: { ...resourceAttributes, namespace: "nowhere" } }],
  ])("%s allows authenticated users", async (path, spec) => {
    expect(objectIn(await testServer().post(path, { spec }), 201).status).toEqual({ allowed: true })
  })

  test.each([
    ["the unknown may do nothing", { user: "system:anonymous", resourceAttributes }, false],
    ["nor may their group", { groups: ["system:unauthenticated"], resourceAttributes }, false],
    ["nor change what is public", { user: "system:anonymous", nonResourceAttributes: { verb: "post", path: "/healthz" } }, false],
    ["but see what is public", { user: "system:anonymous", nonResourceAttributes: { verb: "get", path: "/healthz" } }, true],
  ])("%s", async (_what, spec, allowed) => {
    expect(objectIn(await testServer().post(`${reviews}/subjectaccessreviews`, { spec }), 201).status).toEqual({ allowed })
  })

  test.each([
    [
      "asks nothing",
      `${reviews}/selfsubjectaccessreviews`,
      {},
      "spec.resourceAttributes",
      /exactly one of nonResourceAttributes or resourceAttributes/,
    ],
    [
      "asks two things",
      `${reviews}/selfsubjectaccessreviews`,
      { resourceAttributes, nonResourceAttributes: { path: "/" } },
      "spec.nonResourceAttributes",
      /cannot be specified in combination/,
    ],
    ["names no user", `${reviews}/subjectaccessreviews`, { resourceAttributes }, "spec.user", /at least one of user or group/],
    [
      "is about another namespace",
      local,
      { user: "u", resourceAttributes },
      "spec.resourceAttributes.namespace",
      /must match metadata.namespace/,
    ],
  ])("a question that %s is refused", async (_what, path, spec, field, message) => {
    const status = statusIn(await testServer().post(path, { spec }))
    expect(status).toMatchObject({ code: 422, details: { causes: [{ field, message: expect.stringMatching(message) }] } })
  })

  test("a question is no row of a table (seen)", async () => {
    const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }
    const answer = await testServer().ask("POST", `${reviews}/selfsubjectaccessreviews`, {
      body: { spec: { resourceAttributes } },
      headers,
    })
    expect(statusIn(answer)).toMatchObject({ code: 406, reason: "NotAcceptable" })
  })

  test("a question has no name", async () => {
    const body = { metadata: { name: "a" }, spec: { resourceAttributes } }
    expect(statusIn(await testServer().post(`${reviews}/selfsubjectaccessreviews`, body)).message).toContain("must be empty")
  })

  test("SelfSubjectRulesReview lists what one may do", async () => {
    const review = objectIn(await testServer().post(`${reviews}/selfsubjectrulesreviews`, { spec: { namespace: "default" } }), 201)
    expect(review.status).toEqual({
      resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
      nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
      incomplete: false,
    })
  })

  test("a listed token is for the audiences of this server", async () => {
    const keys = generateKeyPairSync("ec", { namedCurve: "P-256" })
    const pem = {
      key: String(keys.privateKey.export({ type: "pkcs8", format: "pem" })),
      publicKey: String(keys.publicKey.export({ type: "spki", format: "pem" })),
    }
    const api = testServer({
      tokens: new Map([["t", { name: "u", groups: [] }]]),
      serviceAccounts: { ...pem, issuer: "https://i", audiences: ["api", "other"] },
    })
    const ask = async (audiences: readonly string[]) =>
      objectIn(await api.post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: "t", audiences } }), 201).status
    expect(await ask([])).toMatchObject({ authenticated: true, audiences: ["api", "other"] })
    expect(await ask(["other", "x"])).toMatchObject({ authenticated: true, audiences: ["other"] })
    expect(await ask(["x"])).toEqual({ user: {}, error: "invalid bearer token" })
  })
})
