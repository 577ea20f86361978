import { StatusError, statusOf } from "@pilothouse/api"
import { type Transport, type Verb, valueBody } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import type { Identity } from "../authentication/identity.ts"
import { authenticatedTransports, authenticator } from "./authenticate.ts"
import type { Peer } from "./request/peer.ts"

const alice: Identity = { name: "alice", groups: ["devs"] }
const authenticate = authenticator({
  tokens: new Map([["secret", alice]]),
  tokenReview: (token) => (token === "sa" ? { name: "system:serviceaccount:a:b", groups: [] } : undefined),
})

const rows: readonly [what: string, peer: Peer, expected: Identity | 401][] = [
  ["a known token", { headers: { authorization: "Bearer secret" } }, { name: "alice", groups: ["devs", "system:authenticated"] }],
  [
    "the scheme in lower case",
    { headers: { authorization: "bearer secret" } },
    { name: "alice", groups: ["devs", "system:authenticated"] },
  ],
  ["a token that a review knows", { headers: { authorization: "Bearer sa" } }, { name: "system:serviceaccount:a:b", groups: [] }],
  ["an unknown token", { headers: { authorization: "Bearer nope" } }, 401],
  ["no credentials", { headers: {} }, { name: "system:anonymous", groups: ["system:unauthenticated"] }],
  ["another scheme", { headers: { authorization: "Basic YTpi" } }, { name: "system:anonymous", groups: ["system:unauthenticated"] }],
  [
    "a client certificate",
    { headers: {}, certificate: { commonName: "kubernetes-admin", organizations: ["system:masters"], fingerprint: "dd4b" } },
    {
      name: "kubernetes-admin",
      groups: ["system:masters", "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": ["X509SHA256=dd4b"] },
    },
  ],
  [
    "a certificate without a common name",
    { headers: {}, certificate: { commonName: "", organizations: ["system:masters"], fingerprint: "dd4b" } },
    { name: "system:anonymous", groups: ["system:unauthenticated"] },
  ],
  [
    "such a certificate with a known token",
    { headers: { authorization: "Bearer secret" }, certificate: { commonName: "", organizations: [], fingerprint: "dd4b" } },
    { name: "alice", groups: ["devs", "system:authenticated"] },
  ],
  ["a certificate of another authority", { headers: {}, certificate: "untrusted" }, 401],
  [
    "an untrusted certificate with a known token",
    { headers: { authorization: "Bearer secret" }, certificate: "untrusted" },
    { name: "alice", groups: ["devs", "system:authenticated"] },
  ],
]

test.each(rows)("%s", (_, { headers, certificate }, expected) => {
  const answer = authenticate(headers, certificate)
  if (expected === 401) expect(answer).toBeInstanceOf(StatusError)
  else expect(answer).toEqual(expected)
})

test("an anonymous request is refused where that is turned off", () => {
  const strict = authenticator({ tokens: new Map([["secret", alice]]), anonymousAuth: false })
  expect(strict({}, undefined)).toBeInstanceOf(StatusError)
  expect(strict({ authorization: "Basic YTpi" }, undefined)).toBeInstanceOf(StatusError)
  expect(strict({ authorization: "Bearer secret" }, undefined)).toMatchObject({ name: "alice" })
})

describe("transports by identity", () => {
  const made: string[] = []
  const transportFor = authenticatedTransports(authenticate, (identity): Transport => {
    made.push(identity.name)
    return async () => ({ status: 200, headers: {}, body: valueBody(identity.name) })
  })
  const ask = async (headers: Peer["headers"], path: string, verb: Verb = "GET") => {
    try {
      return (await (await transportFor({ headers }, { verb, path }))({ verb, path, query: {}, headers })).status
    } catch (error) {
      return statusOf(error).code
    }
  }

  test("each identity has one", async () => {
    await ask({ authorization: "Bearer secret" }, "/api")
    await ask({ authorization: "Bearer secret" }, "/api")
    expect(made).toEqual(["alice"])
  })

  test("anonymous sees health and version only", async () => {
    expect(await ask({}, "/readyz")).toBe(200)
    expect(await ask({}, "/livez/ping")).toBe(200)
    expect(await ask({}, "/version")).toBe(200)
    expect(await ask({}, "/versions")).toBe(401)
    expect(await ask({}, "/api/v1/pods")).toBe(401)
    expect(await ask({}, "/version", "POST")).toBe(401)
  })

  test("requests of anonymous clients are left to the authorizer where there is one for them", async () => {
    const options = { authorizesAnonymous: true }
    const open = authenticatedTransports(authenticate, () => async () => ({ status: 200, headers: {}, body: valueBody("") }), options)
    const path = "/api/v1/pods"
    expect((await (await open({ headers: {} }, { verb: "GET", path }))({ verb: "GET", path, query: {}, headers: {} })).status).toBe(200)
    expect(() => open({ headers: { authorization: "Bearer nope" } }, { verb: "GET", path })).toThrow("Unauthorized")
  })

  test("a bad token is refused even for health", async () => {
    expect(await ask({ authorization: "Bearer nope" }, "/readyz")).toBe(401)
  })
})
