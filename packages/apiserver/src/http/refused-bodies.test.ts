import { once } from "node:events"
import { connect, constants } from "node:http2"
import { silentLog, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { beforeAll, expect, onTestFinished, test } from "vitest"
import { createApiServer } from "../api-server.ts"
import type { Certificates } from "../certificates/certificates.ts"
import { ensureCertificates } from "../certificates/ensure-certificates.ts"
import { authenticatedTransports, authenticator } from "./authenticate.ts"
import { serveHttps } from "./serve.ts"
import { ask, type Protocol, textOf } from "./testing/client.ts"

let certificates: Certificates
beforeAll(async () => {
  const seams = { files: virtualFiles(systemClock), clock: systemClock, random: systemRandom() }
  certificates = await ensureCertificates({ ...seams, directory: "/pki", serviceIp: "10.96.0.1" })
})

/** Without anonymous users: a client without credentials is not authenticated. */
function unauthenticated() {
  return authenticatedTransports(authenticator(), () => {
    throw new Error("expected no authenticated request")
  })
}

/** With anonymous users, who have no rights. */
function unauthorized() {
  const server = createApiServer({ clock: systemClock, random: systemRandom(), authorizationModes: ["RBAC"] })
  onTestFinished(() => server.close())
  return authenticatedTransports(authenticator(), (identity) => server.transport(identity), { authorizesAnonymous: true })
}

const path = "/api/v1/namespaces/default/configmaps"

async function refusing(clock = new VirtualClock(), transportFor = unauthenticated()) {
  const server = await serveHttps({ host: "127.0.0.1", port: 0, certificates, clock, random: systemRandom(), log: silentLog, transportFor })
  const close = async () => {
    const closing = server.close(0)
    await clock.advance(1)
    await closing
  }
  return { port: server.port, ca: certificates.ca.certificate, close }
}

test.each([
  ["POST", "who is not authenticated", unauthenticated, 401, "Unauthorized"],
  ["GET", "who is not authenticated", unauthenticated, 401, "Unauthorized"],
  ["POST", "who has no rights", unauthorized, 403, "Forbidden"],
] as const)(
  "a %s of a client %s is answered before its body has come, and over a second after",
  async (method, _who, transports, status, reason) => {
    const clock = new VirtualClock()
    const client = await refusing(clock, transports())
    const session = connect(`https://127.0.0.1:${client.port}`, { ca: client.ca })
    const stream = session.request({ ":method": method, ":path": path }, { endStream: false })
    stream.on("error", () => undefined)
    stream.write("{")
    const ended = new Promise((resolve) => stream.on("close", resolve))
    const [headers] = await once(stream, "response")
    expect(headers[":status"]).toBe(status)
    expect(JSON.parse(await textOfStream(stream))).toMatchObject({ reason })
    await clock.advance(1000)
    await ended
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR)
    session.destroy()
    await client.close()
  },
)

/** The whole answer, which comes before the stream is reset. */
async function textOfStream(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test.each<Protocol>(["HTTP/1.1", "HTTP/2"])("who sends a large body all the same comes to read its refusal over %s", async (protocol) => {
  const { close, ...client } = await refusing()
  const answer = await ask(protocol, client, { method: "POST", path: "/x", body: new Uint8Array(2 * 1024 * 1024) })
  expect(answer.status).toBe(401)
  expect(JSON.parse(await textOf(answer))).toMatchObject({ kind: "Status", reason: "Unauthorized" })
  await close()
})

test("a client without rights does not take the room of writes, nor is it asked for its body", async () => {
  const certain = { maxRequests: 1, maxMutatingRequests: 1 }
  const options = { host: "127.0.0.1", port: 0, certificates, clock: new VirtualClock(), random: systemRandom(), log: silentLog }
  const server = await serveHttps({ ...options, transportFor: unauthorized(), inFlight: certain })
  onTestFinished(() => server.close(0))
  const session = connect(`https://127.0.0.1:${server.port}`, { ca: certificates.ca.certificate })
  const statuses: number[] = []
  for (const at of [path, path, "/api/v1/namespaces/default/pods/p/proxy", `${path}/a`]) {
    const stream = session.request({ ":method": "POST", ":path": at, expect: "100-continue" }, { endStream: false })
    stream.on("error", () => undefined).on("continue", () => statuses.push(100))
    const [headers] = await once(stream, "response")
    statuses.push(Number(headers[":status"]))
  }
  expect(statuses).toEqual([403, 403, 403, 403])
  session.destroy()
})
