import { generateKeyPairSync } from "node:crypto"
import { describe, expect, test } from "vitest"
import { everyWay, objectIn, type TestServer, testServer } from "../testing/server.ts"

const keys = generateKeyPairSync("ec", { namedCurve: "P-256" })
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 })
const pem = (key: typeof keys.publicKey) => key.export({ type: "spki", format: "pem" }).toString()
const serviceAccounts = {
  key: keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  publicKey: pem(keys.publicKey),
  publicKeys: [pem(rsa.publicKey), pem(keys.publicKey)],
  issuer: "https://kubernetes.default.svc",
}

async function textOf(api: TestServer, path: string, headers: Record<string, string> = {}): Promise<string> {
  const { body } = await api.ask("GET", path, { headers })
  if (body.type === "stream") throw new Error("expected no stream")
  return body.type === "bytes" ? new TextDecoder().decode(body.bytes) : JSON.stringify(body.value)
}

everyWay("what a server says of itself", (testServer) => {
  test("an unknown path is a page of words", async () => {
    expect(await textOf(testServer(), "/nope")).toBe("404 page not found\n")
  })

  test("its root lists its paths", async () => {
    const api = testServer({ serviceAccounts, metricsText: () => "" })
    const { paths } = objectIn(await api.get("/")) as unknown as { paths: readonly string[] }
    expect(paths).toEqual([...paths].sort())
    expect(paths.slice(0, 4)).toEqual(["/.well-known/openid-configuration", "/api", "/api/v1", "/apis"])
    for (const path of [
      "/apis/",
      "/apis/apps",
      "/apis/apps/v1",
      "/healthz/ping",
      "/openapi/v3",
      "/openid/v1/jwks",
      "/version",
      "/metrics",
    ]) {
      expect(paths).toContain(path)
    }
    for (const path of paths) expect((await api.get(path)).status, path).toBe(200)
    expect(await textOf(api, "/index.html")).toBe(await textOf(api, "/"))
  })

  test("without keys for tokens it names no issuer", async () => {
    const api = testServer()
    expect(await textOf(api, "/")).not.toContain("openid")
    expect(await textOf(api, "/openid/v1/jwks")).toBe("404 page not found\n")
    const named = testServer({ serviceAccounts: { ...serviceAccounts, issuer: "me" } })
    expect((await named.get("/.well-known/openid-configuration")).status).toBe(404)
  })

  test("the keys that its tokens are checked with, each once", async () => {
    const answer = await testServer({ serviceAccounts }).get("/openid/v1/jwks")
    expect(answer.headers["content-type"] ?? "").toBe("application/jwk-set+json")
    expect(answer.headers["cache-control"]).toBe("public, max-age=3600")
    if (answer.body.type !== "bytes") throw new Error("expected bytes")
    const { keys: told } = JSON.parse(new TextDecoder().decode(answer.body.bytes))
    const { x, y } = keys.publicKey.export({ format: "jwk" })
    const { n, e } = rsa.publicKey.export({ format: "jwk" })
    expect(told).toEqual([
      { use: "sig", kty: "EC", kid: expect.stringMatching(/^[\w-]{43}$/), crv: "P-256", alg: "ES256", x, y },
      { use: "sig", kty: "RSA", kid: expect.stringMatching(/^[\w-]{43}$/), alg: "RS256", n, e },
    ])
  })

  test("where they are, and for whom they are", async () => {
    const api = testServer({ serviceAccounts, advertise: { address: "192.0.2.1", port: 6443 } })
    expect(JSON.parse(await textOf(api, "/.well-known/openid-configuration"))).toEqual({
      issuer: "https://kubernetes.default.svc",
      jwks_uri: "https://192.0.2.1:6443/openid/v1/jwks",
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256", "RS256"],
    })
  })
})

describe.each(["in process", "on disk"] as const)("for people, %s", (way) => {
  test.each(["/api", "/apis", "/api/v1", "/apis/apps", "/apis/apps/v1"])("%s stands on lines of its own", async (path) => {
    const api = testServer(way)
    const short = await textOf(api, path)
    expect(await textOf(api, path, { "user-agent": "curl/8.5.0" })).toBe(JSON.stringify(JSON.parse(short), undefined, 2))
    expect(await textOf(api, path, { "user-agent": "kubectl/v1.36.3" })).toBe(short)
    const { body } = await api.get(path, { pretty: "1" })
    expect(body.type === "bytes" && new TextDecoder().decode(body.bytes).startsWith("{\n  ")).toBe(true)
  })
})
