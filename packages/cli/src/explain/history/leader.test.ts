import { X509Certificate } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { leases } from "@pilothouse/api/coordination/v1"
import { serviceAccounts } from "@pilothouse/api/core/v1"
import { ensureCertificates, serveHttps } from "@pilothouse/apiserver"
import { silentLog, type Transport, type TransportRequest, type TransportResponse, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import { connectedCluster } from "../../commands/testing/connection.ts"
import { debugAudience } from "../../run/endpoints/debug-audience.ts"
import { delegatedAccess } from "../../run/endpoints/delegated-access.ts"
import { askLeader } from "./leader.ts"

const reconcile = {
  at: "2026-01-05T09:00:00Z",
  controller: "deployment-controller",
  key: "default/web",
  causes: ["Deployment added"],
  observed: ["Deployment default/web@1"],
  lines: [{ kind: "summary", text: "all is well" }],
}
const seams = { clock: systemClock, random: systemRandom(), log: silentLog }
const kubeLease = "kube-controller-manager"

function text(status: number, body: string, headers: Record<string, string> = {}): TransportResponse {
  return { status, headers, body: { type: "bytes", bytes: new TextEncoder().encode(body), contentType: "text/plain" } }
}

/** A leader that remembers one reconcile. */
const trace: Transport = async ({ path }) =>
  path === "/debug/trace" ? text(200, JSON.stringify({ entries: [reconcile] })) : text(404, "none")

interface Served extends AsyncDisposable {
  readonly address: string
  readonly pin: string
  readonly requests: readonly TransportRequest[]
}

/** Over TLS, with a certificate that no authority of the cluster has signed, as `run` has it. */
async function served(answer: Transport): Promise<Served> {
  const certificates = await ensureCertificates({ ...seams, files: virtualFiles(systemClock), directory: "/pki", serviceIp: "10.96.0.1" })
  const requests: TransportRequest[] = []
  const recording: Transport = (request) => {
    requests.push(request)
    return answer(request)
  }
  const https = await serveHttps({ ...seams, transportFor: () => recording, host: "127.0.0.1", port: 0, certificates })
  const pin = new X509Certificate(certificates.server.certificate).fingerprint256.replaceAll(":", "").toLowerCase()
  return { address: `https://127.0.0.1:${https.port}`, pin, requests, [Symbol.asyncDispose]: () => https.close(0) }
}

/** Without TLS: the attack script thief.mjs. Keeps what it got. */
async function thief() {
  const got: string[] = []
  const server = createServer((request, response) => {
    got.push(`${request.method} ${request.url} ${request.headers.authorization ?? "no credential"}`)
    response.end('{"entries":[]}')
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { port, got, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) }
}

/** A cluster with the account of deploy/rbac.yaml. */
async function stage() {
  const connection = await connectedCluster({ controllers: [], nodes: 0 })
  const metadata = { name: "pilothouse-viewer", namespace: "kube-system" }
  await connection.client.create(serviceAccounts, { apiVersion: "v1", kind: "ServiceAccount", metadata })
  const said: string[] = []
  const hold = async (address: string, { pin = "", name = kubeLease, holderIdentity = "one" } = {}): Promise<void> => {
    const annotations = { "pilothouse.dev/debug-address": address, ...(pin !== "" && { "pilothouse.dev/debug-certificate-sha256": pin }) }
    const lease = { name, namespace: "kube-system", annotations }
    await connection.client.create(leases, {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: lease,
      spec: { holderIdentity },
    })
  }
  const options = { clock: systemClock, say: (line: string) => void said.push(line) }
  const ask = (source = {}) => askLeader(connection, source, options)
  const guarded = delegatedAccess(trace, connection.transport, systemClock)()
  return { connection, said, hold, ask, guarded, [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose]() }
}

test("the leader is found by its Lease, named before it is contacted, and takes the token of the viewer", async () => {
  await using made = await stage()
  await using port = await served(made.guarded)
  await made.hold(port.address, { pin: port.pin })
  expect(await made.ask()).toEqual({ reconciles: [reconcile] })
  expect(made.said).toEqual([`asking the leader at ${port.address}, as Lease kube-system/kube-controller-manager says`])
})

test("what the leader gets is a token that the API server itself refuses: it is for debug ports, for ten minutes, and of the viewer", async () => {
  await using made = await stage()
  await using port = await served(trace)
  await made.hold(port.address, { pin: port.pin })
  await made.ask()
  const token = port.requests[0]?.headers.authorization?.slice("Bearer ".length) ?? ""
  const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString())
  expect(claims).toMatchObject({ aud: [debugAudience], sub: "system:serviceaccount:kube-system:pilothouse-viewer" })
  expect(claims.exp - claims.iat).toBe(600)
  const review = (audiences?: readonly string[]) =>
    made.connection.client.request({
      verb: "POST",
      path: "/apis/authentication.k8s.io/v1/tokenreviews",
      body: { type: "value", value: { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token, audiences } } },
    })
  expect(await review()).not.toMatchObject({ status: { authenticated: true } })
  expect(await review([debugAudience])).toMatchObject({ status: { authenticated: true } })
})

test.each(["0.0.0.0", "localhost"])("the token went in clear to http://%s that a Lease named: nothing is sent there", async (host) => {
  await using made = await stage()
  await using stolen = await thief()
  await made.hold(`http://${host}:${stolen.port}`)
  const { failure } = await made.ask()
  expect(failure).toContain("is not contacted: expected https://, or http:// with an address of 127.0.0.0/8 or ::1")
  expect([stolen.got, made.said]).toEqual([[], []])
})

test("a port of this machine without TLS is asked without a credential", async () => {
  await using made = await stage()
  await using stolen = await thief()
  await made.hold(`http://127.0.0.1:${stolen.port}`)
  expect(await made.ask()).toEqual({ reconciles: [] })
  expect(stolen.got).toEqual(["GET /debug/trace no credential"])
})

test.each(["another fingerprint", "no fingerprint"])("with %s on the Lease another program on its port gets no request", async (which) => {
  await using made = await stage()
  await using port = await served(trace)
  await made.hold(port.address, which === "no fingerprint" ? {} : { pin: "0".repeat(64) })
  const { ca } = await ensureCertificates({ ...seams, files: virtualFiles(systemClock), directory: "/pki", serviceIp: "10.96.0.1" })
  const own = { ...made.connection, authorities: () => ca.certificate }
  const { failure } = await askLeader(own, {}, { clock: systemClock, say: () => {} })
  expect(failure).toMatch(/certificate is (not the one that is expected there|signed by an unknown authority)/)
  expect(failure).toContain('; start "pilothouse run" with a --tls-cert-file of the cluster\'s authority, or forward its port')
  expect(port.requests).toEqual([])
})

test("a redirect is not followed", async () => {
  await using made = await stage()
  await using stolen = await thief()
  await using port = await served(async () => text(302, "there", { location: `http://127.0.0.1:${stolen.port}/` }))
  await made.hold(port.address, { pin: port.pin })
  expect((await made.ask()).failure).toContain("it answered 302: there")
  expect(stolen.got).toEqual([])
})

/** An answer that comes in pieces, each when the one before was taken. */
function pieces(frames: () => AsyncGenerator<Uint8Array>): Transport {
  async function* framed() {
    for await (const bytes of frames()) yield { type: "bytes" as const, bytes }
  }
  return async () => ({ status: 200, headers: { "content-type": "application/json" }, body: { type: "stream", frames: framed() } })
}

test("an answer that is too long is given up", async () => {
  await using made = await stage()
  let sent = 0
  await using port = await served(
    pieces(async function* () {
      for (; sent < 200; sent++) yield new Uint8Array(1024 * 1024).fill(0x20)
    }),
  )
  await made.hold(port.address, { pin: port.pin })
  expect((await made.ask()).failure).toContain("of at most 67108864 bytes, found a longer one")
  expect(sent).toBeLessThan(150)
})

test("an answer that comes drop by drop is given up after 15 s in all", async () => {
  await using made = await stage()
  const clock = new VirtualClock()
  const [dropped, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await using port = await served(
    pieces(async function* () {
      yield Uint8Array.of(0x20)
      dropped.resolve()
      await over.promise
    }),
  )
  await made.hold(port.address, { pin: port.pin })
  const answer = askLeader(made.connection, {}, { clock, say: () => {} })
  await dropped.promise
  await clock.advance("15s")
  expect((await answer).failure).toContain("it did not answer within 15 s")
  over.resolve()
})

test("the handlers of OpenStack are found by their Lease, beside a leader of another program that cannot be asked", async () => {
  await using made = await stage()
  await using port = await served(made.guarded)
  await made.hold(port.address, { pin: port.pin, name: "kuryr-controller", holderIdentity: "two" })
  expect(await made.ask()).toEqual({ reconciles: [reconcile] })
  await made.hold("http://127.0.0.1:1")
  const { reconciles, failure } = await made.ask()
  expect([reconciles, failure]).toEqual([[reconcile], expect.stringContaining("127.0.0.1:1")])
  expect((await made.ask({ lease: "kube-system/kube-controller-manager" })).reconciles).toEqual([])
})

test("an address that the user gives wins; a port that is forwarded from the leader shows the certificate that the Lease tells", async () => {
  await using made = await stage()
  await using port = await served(made.guarded)
  await made.hold("https://192.0.2.1:1", { pin: port.pin })
  expect(await made.ask({ server: port.address })).toEqual({ reconciles: [reconcile] })
  expect(made.said).toEqual([`asking the leader at ${port.address}, as --server says`])
})

test("a leader that cannot be reached is named", async () => {
  await using made = await stage()
  await made.hold("http://127.0.0.1:1")
  const { reconciles, failure } = await made.ask()
  expect(reconciles).toEqual([])
  expect(failure).toBe(
    'the leader at http://127.0.0.1:1 could not be asked: that is the debug port of "pilothouse run", and it does not answer; check that this leader still runs, and that its port can be reached from here',
  )
})

test("one that refuses says why, in text that a terminal does not obey", async () => {
  await using made = await stage()
  await using port = await served(async () => text(401, `a token is needed\u001b[2J${"x".repeat(1000)}`))
  await made.hold(port.address, { pin: port.pin })
  const { failure = "" } = await made.ask()
  expect(failure).toContain("it answered 401: a token is needed\ufffd[2Jxxx")
  expect(failure.length).toBeLessThan(500)
})

test("without the account of the viewer it is said what to apply, and nothing is sent", async () => {
  await using made = await stage()
  await using port = await served(made.guarded)
  await made.hold(port.address, { pin: port.pin })
  await made.connection.client.delete(serviceAccounts, "kube-system/pilothouse-viewer")
  expect((await made.ask()).failure).toMatch(
    /expected a token of kube-system\/pilothouse-viewer, found .*not found; apply deploy\/rbac.yaml/,
  )
  expect(port.requests).toEqual([])
})

test("a Lease without a holder names no leader", async () => {
  await using made = await stage()
  await made.hold("http://127.0.0.1:1", { holderIdentity: "" })
  expect(await made.ask()).toEqual({ reconciles: [] })
})
