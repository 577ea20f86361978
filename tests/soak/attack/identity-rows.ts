import { createHmac, createPublicKey, generateKeyPairSync, sign } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ensureCertificates } from "@pilothouse/apiserver"
import { systemClock, systemFiles, systemRandom } from "@pilothouse/seams/system"
import { parseAllDocuments } from "yaml"
import type { Attempt, Row } from "./row.ts"
import { statusesIn, Wire } from "./wire.ts"

/** What a client without credentials may be answered with where it is not for all. */
const denied: readonly number[] = [301, 307, 400, 401, 403, 404, 405]

const climbing = [
  "/healthz/../api/v1/secrets",
  "/healthz/%2e%2e/api/v1/secrets",
  "/healthz%2f..%2fapi/v1/secrets",
  "//api/v1/secrets",
  "/api//v1/secrets",
  "/api/v1/secrets/",
  "/api/v1/secrets;/healthz",
  "/healthz;/../api/v1/secrets",
  "/healthz/../../api/v1/secrets",
  "/livez/%2e%2e/metrics",
  "/version/../metrics",
  "/metrics",
  "/debug/trace",
  "/openapi/v2",
  "/openapi/v3",
  "/api",
  "/apis",
  "/api/v1",
  "/api/v1/secrets?watch=1",
  "/api/v1/watch/secrets",
  "/apis/authentication.k8s.io/v1/tokenreviews",
  "/.well-known/openid-configuration/../../api/v1/secrets",
  "/%61pi/v1/secrets",
  "/API/V1/SECRETS",
  "/api/v1/namespaces/default/secrets",
  "/api/v1/secrets%00",
  "/api/v1/secrets#",
]

async function anonymousPaths({ anonymous, expect, expectStatus }: Attempt): Promise<void> {
  for (const path of ["/healthz", "/livez", "/readyz", "/version"]) expectStatus(path, await anonymous.send({ path }), 200)
  for (const path of climbing) {
    expectStatus(`${path} over HTTP/2`, await anonymous.send({ path }), ...denied)
    const { text } = await anonymous.raw(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    expect(denied.includes(Number(statusesIn(text)[0])), `${path} over HTTP/1.1 to be refused`, text.slice(0, 200))
  }
  const absolute = await anonymous.raw("GET https://elsewhere/api/v1/secrets HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
  expect(denied.includes(Number(statusesIn(absolute.text)[0])), "an absolute path to be refused", absolute.text.slice(0, 200))
  const claims: readonly Readonly<Record<string, string>>[] = [
    { "x-remote-user": "system:admin", "x-remote-group": "system:masters" },
    { "impersonate-user": "system:admin", "impersonate-group": "system:masters" },
    { authorization: `Basic ${Buffer.from("admin:admin").toString("base64")}` },
    { "x-http-method-override": "GET" },
    { "x-forwarded-for": "127.0.0.1", "x-forwarded-user": "admin" },
    { "sec-websocket-protocol": "base64url.bearer.authorization.k8s.io.YWRtaW4" },
  ]
  for (const headers of claims) expectStatus(JSON.stringify(headers), await anonymous.send({ path: "/api/v1/secrets", headers }), ...denied)
  const create = await anonymous.send({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "x" } } })
  expectStatus("a POST", create, ...denied)
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url")
}

/** Tokens that a service account could have, made without its key. */
async function forgedTokens({ anonymous, admin, up, expect, expectStatus }: Attempt): Promise<void> {
  await admin.create("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "robot" } })
  const request = (spec: object) => admin.create("/api/v1/namespaces/default/serviceaccounts/robot/token", { spec })
  const good: string = JSON.parse((await request({})).text).status?.token ?? ""
  expectStatus("a good token", await withToken(good), 200, 403)
  const [, payload = "", signature = ""] = good.split(".")
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString())
  const admins = { ...claims, sub: "system:serviceaccount:kube-system:admin" }
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const signed = (head: object, body: object) => {
    const text = `${part(head)}.${part(body)}`
    return `${text}.${sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`
  }
  const publicPem = publicKeyOf(join(up.facts.kubeconfig, ".."))
  const hmacText = `${part({ alg: "HS256", typ: "JWT" })}.${part(admins)}`
  const kid = JSON.parse(Buffer.from(good.split(".")[0]!, "base64url").toString()).kid
  const forged: readonly (readonly [string, string])[] = [
    ["without an algorithm", `${part({ alg: "none" })}.${part(admins)}.`],
    ["signed with the public key", `${hmacText}.${createHmac("sha256", publicPem).update(hmacText).digest("base64url")}`],
    ["signed with another key", signed({ alg: "ES256", kid }, admins)],
    ["signed with zeros", `${part({ alg: "ES256", kid })}.${part(admins)}.${Buffer.alloc(64).toString("base64url")}`],
    ["with other claims", `${good.split(".")[0]}.${part(admins)}.${signature}`],
    ["with a signature that was cut", good.slice(0, -4)],
    ["without a signature", `${good.split(".").slice(0, 2).join(".")}.`],
    ["with a key of its own", signed({ alg: "ES256", jwk: {}, jku: "http://127.0.0.1:1/" }, admins)],
    ["with a key that climbs", signed({ alg: "ES256", kid: "../../../../dev/null" }, admins)],
    ["of nothing", ""],
    ["of dots", "...."],
  ]
  for (const [name, token] of forged) expectStatus(`a token ${name}`, await withToken(token), 401, 403)
  const elsewhere: string = JSON.parse((await request({ audiences: ["elsewhere"] })).text).status?.token ?? ""
  expectStatus("a token for another audience", await withToken(elsewhere), 401)
  expectStatus("a token in the query", await anonymous.send({ path: `/api/v1/secrets?access_token=${good}` }), 401, 403)
  await admin.send({ method: "DELETE", path: "/api/v1/namespaces/default/serviceaccounts/robot" })
  expectStatus("the token of an account that is gone", await withToken(good), 401)
  await admin.create("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "robot" } })
  expectStatus("the token of an account that was recreated", await withToken(good), 401)
  expect(good !== "", "a token to begin with", good)
  function withToken(token: string) {
    return anonymous.send({ path: "/api/v1/namespaces/default/configmaps", headers: { authorization: `Bearer ${token}` } })
  }
}

/** Of the service accounts: public is public. */
function publicKeyOf(directory: string): string {
  const pki = join(directory, "pki")
  const file = readdirSync(pki).find((name) => /^sa|service-account/.test(name)) ?? ""
  return createPublicKey(readFileSync(join(pki, file)))
    .export({ type: "spki", format: "pem" })
    .toString()
}

/** Authorities of the same name are others all the same. */
async function forgedCertificates({ directory, up, expectStatus }: Attempt): Promise<void> {
  const seams = { files: systemFiles, clock: systemClock, random: systemRandom(), serviceIp: "10.0.0.1" }
  const own = await ensureCertificates({ ...seams, directory: join(directory, "thief") })
  const client = { cert: Buffer.from(own.admin.certificate), key: Buffer.from(own.admin.key) }
  const server = { cert: Buffer.from(own.server.certificate), key: Buffer.from(own.server.key) }
  const path = "/api/v1/secrets"
  for (const [name, credentials] of [
    ["of another authority with the same name", client],
    ["of another server", server],
  ] as const) {
    const wire = new Wire(up.port, credentials)
    expectStatus(`a certificate ${name}`, await wire.send({ path }), 0, 401, 403)
    wire.leave()
  }
}

const smuggled = "GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n"
const post = "POST /healthz HTTP/1.1\r\nHost: localhost\r\n"

/** Requests whose end two readers could see in two places: at most one answer to each, or a connection that is closed. */
const ambiguous: readonly (readonly [name: string, text: string, answers: number])[] = [
  ["a length and chunks", `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`, 1],
  ["two lengths", `${post}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef${smuggled}`, 1],
  ["an unknown coding", `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`, 1],
  ["a space before the colon", `${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`, 1],
  ["a coding that is not the last", `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`, 1],
  ["a folded line", `${post}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n${smuggled}`, 2],
  ["a carriage return alone", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\rB: c\r\n\r\n", 1],
  ["a negative length", `${post}Content-Length: -1\r\n\r\n${smuggled}`, 1],
  ["a length with a sign", `${post}Content-Length: +5\r\n\r\nabcde${smuggled}`, 1],
  ["a length in hexadecimal", `${post}Content-Length: 0x5\r\n\r\nabcde${smuggled}`, 1],
  ["a chunk that overflows", `${post}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n${smuggled}`, 1],
  [
    "a body of a GET that is a request",
    `GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    1,
  ],
  ["a zero in the path", "GET /healthz\0 HTTP/1.1\r\nHost: localhost\r\n\r\n", 1],
  ["an upgrade with a body", `${post}Connection: upgrade\r\nUpgrade: h2c\r\nContent-Length: 3\r\n\r\nabc`, 1],
  ["CONNECT", "CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: localhost\r\n\r\n", 1],
  ["no HTTP", "hello\r\n\r\n", 1],
]

async function smuggling({ anonymous, expect }: Attempt): Promise<void> {
  await Promise.all(
    ambiguous.map(async ([name, text, answers]) => {
      const found = await anonymous.raw(text, 400)
      const statuses = statusesIn(found.text)
      expect(
        (statuses.length <= answers && !found.text.includes("gitVersion")) || answers === 2,
        `no second request in ${name}`,
        found.text,
      )
      expect(!statuses.includes("500") && !statuses.includes("101"), `${name} to be refused or answered`, found.text)
    }),
  )
}

/** What an account without roles may not do: read what is secret, act as another user, approve, run something, or give itself rights. */
async function withoutRights({ admin, anonymous, expectStatus }: Attempt): Promise<void> {
  const accounts = "/api/v1/namespaces/default/serviceaccounts"
  expectStatus("an account", await admin.create(accounts, { metadata: { name: "plain" } }), 201)
  const { text } = await admin.create(`${accounts}/plain/token`, { spec: {} })
  const authorization = `Bearer ${JSON.parse(text).status.token}`
  const rbac = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" }
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "process", command: ["id"] }] } }
  const csr = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
  const attempts: readonly (readonly [what: string, request: Parameters<Wire["send"]>[0]])[] = [
    ["all Secrets", { path: "/api/v1/secrets" }],
    ["a list as another group", { path: "/api/v1/pods", headers: { "impersonate-user": "x", "impersonate-group": "system:masters" } }],
    ["a pod", { method: "POST", path: "/api/v1/namespaces/default/pods", body: pod }],
    ["an approval", { method: "PUT", path: `${csr}/x/approval`, body: { metadata: { name: "x" }, spec: {} } }],
    ["a binding", { method: "POST", path: rbac, body: { metadata: { name: "mine" }, roleRef, subjects: [] } }],
    ["a token of another account", { method: "POST", path: `${accounts}/default/token`, body: { spec: {} } }],
    ["exec", { method: "POST", path: "/api/v1/namespaces/default/pods/p/exec?command=id&stdout=true" }],
    ["metrics", { path: "/metrics" }],
    ["an extension server", { method: "POST", path: "/apis/apiregistration.k8s.io/v1/apiservices", body: {} }],
  ]
  for (const [what, request] of attempts) {
    const headers = { authorization, ...request.headers }
    expectStatus(`${what} without rights`, await anonymous.send({ ...request, headers }), 403)
  }
}

/** The account of deploy/ must not get the rights of others by tokens or bindings, which its manifests grant nothing of. */
async function deployedAccount({ admin, anonymous, expectStatus }: Attempt): Promise<void> {
  const manifests = parseAllDocuments(readFileSync(new URL("../../../deploy/rbac.yaml", import.meta.url), "utf8"))
  const rbac = "/apis/rbac.authorization.k8s.io/v1"
  const paths: Readonly<Record<string, string>> = {
    ServiceAccount: "/api/v1/namespaces/kube-system/serviceaccounts",
    ClusterRole: `${rbac}/clusterroles`,
    ClusterRoleBinding: `${rbac}/clusterrolebindings`,
    Role: `${rbac}/namespaces/kube-system/roles`,
    RoleBinding: `${rbac}/namespaces/kube-system/rolebindings`,
  }
  for (const manifest of manifests) {
    const object = manifest.toJS()
    expectStatus(`${object.kind} of deploy/rbac.yaml`, await admin.create(paths[object.kind] ?? "", object), 201)
  }
  const { text } = await admin.create("/api/v1/namespaces/kube-system/serviceaccounts/pilothouse/token", { spec: {} })
  const headers = { authorization: `Bearer ${JSON.parse(text).status.token}` }
  expectStatus("what it is for", await anonymous.send({ path: "/api/v1/pods", headers }), 200)
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" }
  const refused: readonly (readonly [what: string, path: string, body: object])[] = [
    ["a token of another account", "/api/v1/namespaces/kube-system/serviceaccounts/default/token", { spec: {} }],
    ["a binding", `${rbac}/clusterrolebindings`, { metadata: { name: "mine" }, roleRef, subjects: [] }],
    ["a role", `${rbac}/clusterroles`, { metadata: { name: "mine" }, rules: [] }],
    ["exec", "/api/v1/namespaces/default/pods/p/exec?command=id&stdout=true", {}],
    ["a webhook", "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", { metadata: { name: "mine" } }],
  ]
  for (const [what, path, body] of refused)
    expectStatus(`${what} by the account of deploy/`, await anonymous.send({ method: "POST", path, headers, body }), 403)
}

/** Who a user is, and where a request ends: what held, and must go on to. */
export const identityRows: readonly Row[] = [
  { number: 13, name: "an account without rights", server: "up", attempt: withoutRights },
  { number: 27, name: "the account of deploy/", server: "up", attempt: deployedAccount },
  { number: 100, name: "what no client gets without a credential", server: "up", attempt: anonymousPaths },
  { number: 101, name: "forged tokens", server: "up", attempt: forgedTokens },
  { number: 101, name: "forged certificates", server: "up", attempt: forgedCertificates },
  { number: 102, name: "requests within requests", server: "up", attempt: smuggling },
  { number: 102, name: "requests within requests, on run", server: "run", attempt: smuggling },
]
