import { generateKeyPairSync } from "node:crypto"
import { VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { objectIn, statusIn, testServer } from "../testing/server.ts"
import { Jwt } from "./jwt.ts"

const core = "/api/v1/namespaces/default"
const issuer = "https://kubernetes.default.svc"
const pair = generateKeyPairSync("ec", { namedCurve: "P-256" })
const keys = {
  key: pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  publicKey: pair.publicKey.export({ type: "spki", format: "pem" }).toString(),
}
const claimsOf = (token: unknown) => JSON.parse(Buffer.from(String(token).split(".")[1]!, "base64url").toString())

async function withObjects(options: { readonly extendExpiration?: boolean; readonly maxSeconds?: number } = {}) {
  const api = testServer("in process", { serviceAccounts: { ...keys, issuer, ...options }, bootstrapTokenAuth: true })
  const { uid } = objectIn(await api.post(`${core}/serviceaccounts`, { metadata: { name: "a" } }), 201).metadata
  const { uid: secret } = objectIn(await api.post(`${core}/secrets`, { metadata: { name: "s" } }), 201).metadata
  const { uid: node } = objectIn(await api.post("/api/v1/nodes", { metadata: { name: "n" } }), 201).metadata
  const spec = { serviceAccountName: "a", nodeName: "gone", containers: [{ name: "c", image: "i" }] }
  const { uid: pod } = objectIn(await api.post(`${core}/pods`, { metadata: { name: "p" }, spec }), 201).metadata
  const request = (spec: object = {}, metadata: object = {}) => api.post(`${core}/serviceaccounts/a/token`, { metadata, spec })
  const tokenOf = async (spec?: object) => String(objectIn(await request(spec), 201).status?.token)
  const review = async (token: string, audiences?: readonly string[]) =>
    objectIn(await api.post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token, ...(audiences && { audiences }) } }), 201)
      .status
  return { api, uid, secret, node, pod, request, tokenOf, review }
}

const bound = (kind: string, name: string) => ({ boundObjectRef: { apiVersion: "v1", kind, name } })

describe("the claims of a token", () => {
  test.each([
    ["of no object", {}, () => ({})],
    ["of a Secret", bound("Secret", "s"), ({ secret }: Made) => ({ secret: { name: "s", uid: secret } })],
    ["of a Node", bound("Node", "n"), ({ node }: Made) => ({ node: { name: "n", uid: node } })],
    [
      "of a pod whose node does not exist",
      bound("Pod", "p"),
      ({ pod }: Made) => ({ node: { name: "gone" }, pod: { name: "p", uid: pod } }),
    ],
  ])("%s", async (_name, spec, expected) => {
    const made = await withObjects()
    const claims = claimsOf(await made.tokenOf(spec))
    expect(claims["kubernetes.io"]).toEqual({ namespace: "default", serviceaccount: { name: "a", uid: made.uid }, ...expected(made) })
    expect(claims.exp - claims.iat).toBe(3600)
  })

  type Made = Awaited<ReturnType<typeof withObjects>>

  test.each([
    ["a pod's token of 3607 s lasts for a year", { ...bound("Pod", "p"), expirationSeconds: 3607 }, {}, 31_536_000, 3607],
    ["not without the extension", { ...bound("Pod", "p"), expirationSeconds: 3607 }, { extendExpiration: false }, 3607, undefined],
    ["not of another life", { ...bound("Pod", "p"), expirationSeconds: 3600 }, {}, 3600, undefined],
    ["not of another audience", { ...bound("Pod", "p"), expirationSeconds: 3607, audiences: ["x"] }, {}, 3607, undefined],
    ["not of no pod", { expirationSeconds: 3607 }, {}, 3607, undefined],
  ])("%s", async (_name, spec, options, life, warn) => {
    const { request, api } = await withObjects(options)
    const { status } = objectIn(await request(spec), 201)
    const claims = claimsOf(status?.token)
    expect(claims.exp - claims.iat).toBe(life)
    expect(claims["kubernetes.io"].warnafter).toBe(warn === undefined ? undefined : claims.iat + warn)
    expect(Date.parse(String(status?.expirationTimestamp))).toBe(Math.floor(api.clock.now() / 1000 + spec.expirationSeconds) * 1000)
  })

  test("a longer life than the server allows is shortened, with a warning", async () => {
    const { request } = await withObjects({ maxSeconds: 7200 })
    const answer = await request({ expirationSeconds: 10_000 })
    expect(objectIn(answer, 201).spec?.expirationSeconds).toBe(7200)
    expect(answer.headers.warning).toBe('299 - "requested expiration of 10000 seconds shortened to 7200 seconds"')
  })
})

test.each([
  [
    "another name",
    { name: "b" },
    422,
    'TokenRequest.authentication.k8s.io "a" is invalid: metadata.name: Invalid value: "b": must match the service account name if specified',
  ],
  ["another namespace", { namespace: "b" }, 400, "the namespace of the provided object does not match the namespace sent on the request"],
  [
    "another uid",
    { uid: "b" },
    409,
    /^Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "a": the UID in the token request \(b\) does not match the UID of the service account \(.+\)$/,
  ],
])("a request for %s is refused", async (_name, metadata, code, message) => {
  const { request } = await withObjects()
  const status = statusIn(await request({}, metadata))
  expect(status).toMatchObject({ code, message: typeof message === "string" ? message : expect.stringMatching(message) })
})

describe("a review says why a token is not good", () => {
  const now = Math.floor(new VirtualClock().now() / 1000)
  test.each<[name: string, change: (claims: Claims) => object, error: string]>([
    ["it has expired", () => ({ exp: now - 61 }), "service account token has expired"],
    ["it has no end", () => ({ exp: undefined }), "service account token has expired"],
    ["it is of the future", () => ({ nbf: now + 70 }), "service account token is not valid yet"],
    ["it is issued in the future", () => ({ iat: now + 70 }), "service account token is issued in the future"],
    [
      "it is for others",
      () => ({ aud: ["x", "y"] }),
      'token audiences ["x" "y"] is invalid for the target audiences ["https://kubernetes.default.svc"]',
    ],
    [
      "the account is another",
      ({ kubernetes }) => of(kubernetes, { serviceaccount: { name: "a", uid: "z" } }),
      "service account UID ($uid) does not match claim (z)",
    ],
    [
      "there is no such account",
      ({ kubernetes }) => of(kubernetes, { serviceaccount: { name: "zz", uid: "z" } }),
      'serviceaccounts "zz" not found',
    ],
    ["it names no account", () => ({ "kubernetes.io": {} }), 'serviceaccounts "" not found'],
    [
      "the pod is another",
      ({ kubernetes }) => of(kubernetes, { pod: { name: "p", uid: "z" } }),
      "pod UID ($pod) does not match service account pod ref claim (z)",
    ],
    ["the pod is gone", ({ kubernetes }) => of(kubernetes, { pod: { name: "q", uid: "z" } }), "service account token has been invalidated"],
    [
      "the node is another",
      ({ kubernetes }) => of(kubernetes, { node: { name: "n", uid: "z" } }),
      "node UID ($node) does not match service account node ref claim (z)",
    ],
    [
      "the node is gone",
      ({ kubernetes }) => of(kubernetes, { node: { name: "m", uid: "z" } }),
      "service account token has been invalidated",
    ],
    [
      "the Secret is another",
      ({ kubernetes }) => of(kubernetes, { secret: { name: "s", uid: "z" } }),
      "secret UID ($secret) does not match service account secret ref claim (z)",
    ],
    [
      "the Secret is gone",
      ({ kubernetes }) => of(kubernetes, { secret: { name: "t", uid: "z" } }),
      "service account token has been invalidated",
    ],
    ["it is a legacy one without claims", () => ({ iss: "kubernetes/serviceaccount" }), "namespace claim is missing"],
  ])("%s", async (_name, change, error) => {
    const made = await withObjects()
    const claims = claimsOf(await made.tokenOf())
    const token = new Jwt(keys).sign({ ...claims, ...change({ kubernetes: claims["kubernetes.io"] }) })
    const filled = error.replaceAll(/\$(\w+)/g, (_all, field: "uid" | "pod" | "node" | "secret") => String(made[field]))
    expect(await made.review(token)).toEqual({ user: {}, error: `[invalid bearer token, ${filled}]` })
  })

  interface Claims {
    readonly kubernetes: object
  }

  function of(kubernetes: object, changed: object): object {
    return { "kubernetes.io": { ...kubernetes, ...changed } }
  }

  test("its signature is another's", async () => {
    const { tokenOf, review } = await withObjects()
    const token = `${(await tokenOf()).slice(0, -4)}AAAA`
    expect(await review(token)).toEqual({ user: {}, error: "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]" })
  })

  test.each(["garbage", "a.b.c", "abcdef.0123456789abcdef"])("no authenticator knows %s", async (token) => {
    expect(await (await withObjects()).review(token)).toEqual({ user: {}, error: "invalid bearer token" })
  })

  test("there is none", async () => {
    const { api } = await withObjects()
    const answer = await api.post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: {} })
    expect(statusIn(answer)).toMatchObject({ code: 400, message: "token is required for TokenReview in authentication" })
  })
})

describe("a bootstrap token", () => {
  const good = {
    "token-id": "abcdef",
    "token-secret": "0123456789abcdef",
    "usage-bootstrap-authentication": "true",
    "auth-extra-groups": "system:bootstrappers:z,system:bootstrappers:a",
  }

  async function reviewed(stringData: object, { more = {}, audiences = undefined as readonly string[] | undefined } = {}) {
    const { api, review } = await withObjects()
    const metadata = { name: "bootstrap-token-abcdef" }
    const secret = { metadata, type: "bootstrap.kubernetes.io/token", stringData, ...more }
    expect((await api.post("/api/v1/namespaces/kube-system/secrets", secret)).status).toBe(201)
    return review("abcdef.0123456789abcdef", audiences)
  }

  test("is a user of the bootstrappers and of its own groups", async () => {
    expect(await reviewed(good)).toEqual({
      authenticated: true,
      user: {
        username: "system:bootstrap:abcdef",
        groups: ["system:bootstrappers", "system:bootstrappers:a", "system:bootstrappers:z", "system:authenticated"],
      },
      audiences: [issuer],
    })
  })

  test.each([
    ["of another secret", { ...good, "token-secret": "0123456789abcdee" }, {}],
    ["of another id", { ...good, "token-id": "abcdeg" }, {}],
    ["without an id", { ...good, "token-id": "" }, {}],
    ["that may not authenticate", { ...good, "usage-bootstrap-authentication": "false" }, {}],
    ["that has expired", { ...good, expiration: "2020-01-01T00:00:00Z" }, {}],
    ["whose end cannot be read", { ...good, expiration: "soon" }, {}],
    ["with a group of others", { ...good, "auth-extra-groups": "system:masters" }, {}],
    ["of another type", good, { more: { type: "Opaque" } }],
    ["for another audience", good, { audiences: ["x"] }],
  ])("%s is none", async (_name, data, options) => {
    expect(await reviewed(data, options)).toEqual({ user: {}, error: "invalid bearer token" })
  })
})
