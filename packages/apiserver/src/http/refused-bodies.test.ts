import { once } from "node:events"
import { connect, constants } from "node:http2"
import { silentLog, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { beforeAll, expect, test } from "vitest"
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

async function refusing(clock = new VirtualClock()) {
  const transportFor = authenticatedTransports(authenticator(), () => {
    throw new Error("expected no authenticated request")
  })
  const server = await serveHttps({ host: "127.0.0.1", port: 0, certificates, clock, random: systemRandom(), log: silentLog, transportFor })
  const close = async () => {
    const closing = server.close(0)
    await clock.advance(1)
    await closing
  }
  return { port: server.port, ca: certificates.ca.certificate, close }
}

test.each(["POST", "GET"])("a %s that is refused before its body has come is over a second after its answer", async (method) => {
  const clock = new VirtualClock()
  const client = await refusing(clock)
  const session = connect(`https://127.0.0.1:${client.port}`, { ca: client.ca })
  const stream = session.request({ ":method": method, ":path": "/x" }, { endStream: false })
  stream.on("error", () => undefined)
  stream.write("{")
  const ended = new Promise((resolve) => stream.on("close", resolve))
  const [headers] = await once(stream, "response")
  expect(headers[":status"]).toBe(401)
  expect(JSON.parse(await textOfStream(stream))).toMatchObject({ reason: "Unauthorized" })
  await clock.advance(1000)
  await ended
  expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR)
  session.destroy()
  await client.close()
})

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
