import { generateKeyPairSync } from "node:crypto"
import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { memoryStorage } from "../storage/memory.ts"
import { everyWay, objectIn, statusIn, type TestServer } from "../testing/server.ts"

const accounts = "/api/v1/namespaces/default/serviceaccounts"
const issuer = "https://kubernetes.default.svc"

function keys() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const [key, publicText] = [privateKey.export({ type: "pkcs8", format: "pem" }), publicKey.export({ type: "spki", format: "pem" })]
  return { key: String(key), publicKey: String(publicText), issuer }
}

everyWay("tokens", (testServer) => {
  async function withAccount() {
    const api = testServer({ serviceAccounts: keys() })
    const { uid } = objectIn(await api.post(accounts, { metadata: { name: "a" } }), 201).metadata
    return { api, uid }
  }

  const tokenOf = async (api: TestServer, spec = {}) => String(objectIn(await api.post(`${accounts}/a/token`, { spec }), 201).status?.token)

  test("a token says whose it is, to this server and to who asks it", async () => {
    const { api, uid } = await withAccount()
    const token = await tokenOf(api)
    const groups = ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"]
    expect(api.server.tokenReview(token)).toMatchObject({ name: "system:serviceaccount:default:a", uid, groups })
    const review = objectIn(await api.post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token } }), 201)
    expect(review.status).toMatchObject({ authenticated: true, audiences: [issuer], user: { username: "system:serviceaccount:default:a" } })
  })

  test("an answer says until when the token holds", async () => {
    const { api } = await withAccount()
    const made = objectIn(await api.post(`${accounts}/a/token`, { spec: { expirationSeconds: 600 } }), 201)
    expect(made).toMatchObject({ kind: "TokenRequest", metadata: { name: "a" }, spec: { audiences: [issuer], expirationSeconds: 600 } })
    await api.clock.advance(659_000)
    expect(api.server.tokenReview(String(made.status?.token)), "clocks may differ by a minute").toBeDefined()
    await api.clock.advance(2000)
    expect(api.server.tokenReview(String(made.status?.token))).toBeUndefined()
  })

  test("a token that was made later than now is none: the clock has gone back", async () => {
    const serviceAccounts = keys()
    const later = testServer({ serviceAccounts, clock: new VirtualClock({ start: Date.parse("2026-02-01T00:00:00Z") }) })
    const made = objectIn(await later.post(accounts, { metadata: { name: "a" } }), 201).metadata
    const token = await tokenOf(later)
    expect(later.server.tokenReview(token)).toBeDefined()
    const storage = memoryStorage()
    const now = testServer({ serviceAccounts, storage })
    objectIn(await now.post(accounts, { metadata: { name: "a" } }), 201)
    const key = "/registry/serviceaccounts/default/a"
    const account = storage.get(key)!
    const same = { ...account.value, metadata: { ...account.value.metadata, uid: made.uid } }
    await storage.commit([{ key, expected: account.revision, make: () => same }])
    expect(now.server.tokenReview(token)).toBeUndefined()
  })

  const pod = { metadata: { name: "p" }, spec: { serviceAccountName: "a", containers: [{ name: "c", image: "i" }] } }
  const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "p" }

  test("a pod's token also names its node, and outlives it", async () => {
    const { api } = await withAccount()
    objectIn(await api.post("/api/v1/nodes", { metadata: { name: "n" } }), 201)
    const placed = { ...pod, spec: { ...pod.spec, nodeName: "n" } }
    objectIn(await api.post("/api/v1/namespaces/default/pods", placed), 201)
    const token = await tokenOf(api, { boundObjectRef })
    expect(await api.server.tokenReview(token)).toMatchObject({ extra: { "authentication.kubernetes.io/node-name": ["n"] } })
    await api.delete("/api/v1/nodes/n")
    expect(api.server.tokenReview(token)).toBeDefined()
  })

  test("a token ends with its account, and with the pod it is bound to", async () => {
    const { api } = await withAccount()
    await api.post("/api/v1/namespaces/default/pods", pod)
    const [plain, bound] = [await tokenOf(api), await tokenOf(api, { boundObjectRef })]
    await api.delete("/api/v1/namespaces/default/pods/p")
    expect([api.server.tokenReview(plain) !== undefined, api.server.tokenReview(bound)]).toEqual([true, undefined])
    await api.delete(`${accounts}/a`)
    await api.post(accounts, { metadata: { name: "a" } })
    expect(api.server.tokenReview(plain)).toBeUndefined()
  })

  test.each([
    ["for another audience", (token: string) => token, { audiences: ["vault"] }],
    ["with a changed claim", (token: string) => token.replace(/\.[^.]{4}/, ".eyJ9"), {}],
    ["with a cut signature", (token: string) => token.slice(0, -4), {}],
    ["that is not one", () => "x.y.z", {}],
  ])("a token %s is not ours", async (_what, change, spec) => {
    const { api } = await withAccount()
    expect(api.server.tokenReview(change(await tokenOf(api, spec)))).toBeUndefined()
  })

  test("a token for another audience is good for that one", async () => {
    const { api } = await withAccount()
    const spec = { token: await tokenOf(api, { audiences: ["vault"] }), audiences: ["vault", "other"] }
    const review = objectIn(await api.post("/apis/authentication.k8s.io/v1/tokenreviews", { spec }), 201)
    expect(review.status).toMatchObject({ authenticated: true, audiences: ["vault"] })
  })

  test.each([
    ["too short", { expirationSeconds: 10 }, 422, /may not specify a duration less than 10 minutes/],
    ["bound to a kind that cannot be", { boundObjectRef: { ...boundObjectRef, kind: "Job" } }, 400, /cannot bind token to object of type/],
    ["bound to a pod that is not there", { boundObjectRef }, 404, /pods "p" not found/],
  ])("a token %s is refused", async (_what, spec, code, message) => {
    const { api } = await withAccount()
    const status = statusIn(await api.post(`${accounts}/a/token`, { spec }))
    expect(status).toMatchObject({ code, message: expect.stringMatching(message) })
  })

  test("a pod of another account gets no token of this one", async () => {
    const { api } = await withAccount()
    await api.post("/api/v1/namespaces/default/pods", { ...pod, spec: { ...pod.spec, serviceAccountName: "b" } })
    expect(statusIn(await api.post(`${accounts}/a/token`, { spec: { boundObjectRef } }))).toMatchObject({
      code: 400,
      message: 'cannot bind token for serviceaccount "a" to pod running with different serviceaccount name.',
    })
  })
})
