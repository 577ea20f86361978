import { generateKeyPairSync } from "node:crypto"
import { expect, test } from "vitest"
import { everyWay, objectIn } from "../testing/server.ts"
import { Jwt } from "./jwt.ts"

const core = "/api/v1/namespaces/default"
const issuer = "https://kubernetes.default.svc"

function pemPair(type: "rsa" | "ec") {
  const { privateKey, publicKey } =
    type === "rsa" ? generateKeyPairSync("rsa", { modulusLength: 2048 }) : generateKeyPairSync("ec", { namedCurve: "P-256" })
  const [key, publicText] = [privateKey.export({ type: "pkcs8", format: "pem" }), publicKey.export({ type: "spki", format: "pem" })]
  return { key: String(key), publicKey: String(publicText) }
}

/** Made once: an RSA key takes its time. */
const theirs = pemPair("rsa")

everyWay("tokens of other kinds", (testServer) => {
  /** As the controller manager does it, with a key of its own: an account, a Secret, and the token in it. */
  async function withSecret() {
    const api = testServer({ serviceAccounts: { ...pemPair("ec"), issuer, publicKeys: [theirs.publicKey] } })
    const { uid } = objectIn(await api.post(`${core}/serviceaccounts`, { metadata: { name: "a" } }), 201).metadata
    const token = new Jwt(theirs).sign({
      iss: "kubernetes/serviceaccount",
      sub: "system:serviceaccount:default:a",
      "kubernetes.io/serviceaccount/namespace": "default",
      "kubernetes.io/serviceaccount/secret.name": "a-token",
      "kubernetes.io/serviceaccount/service-account.name": "a",
      "kubernetes.io/serviceaccount/service-account.uid": uid,
    })
    const metadata = {
      name: "a-token",
      annotations: { "kubernetes.io/service-account.name": "a", "kubernetes.io/service-account.uid": uid },
    }
    const data = { token: Buffer.from(token).toString("base64") }
    objectIn(await api.post(`${core}/secrets`, { metadata, type: "kubernetes.io/service-account-token", data }), 201)
    return { api, token }
  }

  test("the token of a Secret says whose it is, without end", async () => {
    const { api, token } = await withSecret()
    await api.clock.advance(24 * 3_600_000)
    expect(api.server.tokenReview(token)).toEqual({
      name: "system:serviceaccount:default:a",
      uid: expect.any(String),
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    })
  })

  test.each([
    ["the Secret is gone", (api: Api) => api.delete(`${core}/secrets/a-token`)],
    ["the account is gone", (api: Api) => api.delete(`${core}/serviceaccounts/a`)],
    ["the Secret holds another token", (api: Api) => api.patch(`${core}/secrets/a-token`, "merge", { data: { token: "eA==" } })],
    [
      "the token was called invalid",
      (api: Api) =>
        api.patch(`${core}/secrets/a-token`, "merge", {
          metadata: { labels: { "kubernetes.io/legacy-token-invalid-since": "2026-01-01" } },
        }),
    ],
  ])("it ends when %s", async (_what, change) => {
    const { api, token } = await withSecret()
    expect(api.server.tokenReview(token)).toBeDefined()
    expect((await change(api)).status).toBe(200)
    expect(api.server.tokenReview(token)).toBeUndefined()
  })

  test("its use is noted once a day, so that it is not cleaned up", async () => {
    const { api, token } = await withSecret()
    const label = async () => {
      await api.clock.settle()
      const { labels } = objectIn(await api.get(`${core}/secrets/a-token`)).metadata
      return labels?.["kubernetes.io/legacy-token-last-used"]
    }
    expect(await label()).toBeUndefined()
    api.server.tokenReview(token)
    expect(await label()).toBe("2026-01-05")
    const { resourceVersion } = objectIn(await api.get(`${core}/secrets/a-token`)).metadata
    api.server.tokenReview(token)
    await label()
    expect(objectIn(await api.get(`${core}/secrets/a-token`)).metadata.resourceVersion).toBe(resourceVersion)
    await api.clock.advance(24 * 3_600_000)
    api.server.tokenReview(token)
    expect(await label()).toBe("2026-01-06")
  })

  type Api = Awaited<ReturnType<typeof withSecret>>["api"]

  test("a token of RSA keys is made and known", async () => {
    const api = testServer({ serviceAccounts: { ...theirs, issuer } })
    await api.post(`${core}/serviceaccounts`, { metadata: { name: "a" } })
    const token = String(objectIn(await api.post(`${core}/serviceaccounts/a/token`, { spec: {} }), 201).status?.token)
    expect(JSON.parse(Buffer.from(token.split(".")[0]!, "base64url").toString())).toMatchObject({ alg: "RS256" })
    expect(await api.server.tokenReview(token)).toHaveProperty("name", "system:serviceaccount:default:a")
  })

  test("an issuer from before is still known, one that is strange is not", async () => {
    const keys = pemPair("ec")
    const api = testServer({ serviceAccounts: { ...keys, issuer, issuers: ["https://before"], audiences: ["api"] } })
    const { uid } = objectIn(await api.post(`${core}/serviceaccounts`, { metadata: { name: "a" } }), 201).metadata
    const tokenBy = (iss: string) =>
      new Jwt(keys).sign({
        iss,
        aud: ["api"],
        nbf: 0,
        exp: 9e9,
        "kubernetes.io": { namespace: "default", serviceaccount: { name: "a", uid } },
      })
    const reviewed = await Promise.all(["https://before", "https://strange"].map((iss) => api.server.tokenReview(tokenBy(iss))))
    expect(reviewed.map((user) => user?.name)).toEqual(["system:serviceaccount:default:a", undefined])
  })

  test("the token of a pod that is on its way out is good for a minute more", async () => {
    const api = testServer({ serviceAccounts: { ...pemPair("ec"), issuer } })
    await api.post(`${core}/serviceaccounts`, { metadata: { name: "a" } })
    const metadata = { name: "p", finalizers: ["example.com/wait"] }
    await api.post(`${core}/pods`, { metadata, spec: { serviceAccountName: "a", containers: [{ name: "c", image: "i" }] } })
    const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "p" }
    const token = String(objectIn(await api.post(`${core}/serviceaccounts/a/token`, { spec: { boundObjectRef } }), 201).status?.token)
    await api.delete(`${core}/pods/p`)
    await api.clock.advance(59_000)
    expect(api.server.tokenReview(token)).toBeDefined()
    await api.clock.advance(2000)
    expect(api.server.tokenReview(token)).toBeUndefined()
  })
})
