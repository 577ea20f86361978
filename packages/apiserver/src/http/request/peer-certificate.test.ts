import { once } from "node:events"
import { type ClientHttp2Session, connect, type Http2ServerRequest } from "node:http2"
import { silentLog, VirtualClock, valueBody, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import { ensureCertificates } from "../../certificates/ensure-certificates.ts"
import { serveHttps } from "../serve.ts"
import type { Peer } from "./peer.ts"
import { PeerCertificates } from "./peer-certificate.ts"

const day = 24 * 3_600_000

async function ask(session: ClientHttp2Session): Promise<void> {
  const stream = session.request({ ":path": "/x" })
  stream.resume()
  await once(stream, "end")
}

test("a certificate whose time is over is good for nothing, on an open connection as on a session that goes on", async () => {
  const seams = { files: virtualFiles(systemClock), clock: systemClock, random: systemRandom() }
  const certificates = await ensureCertificates({ ...seams, directory: "/pki", serviceIp: "10.96.0.1" })
  const clock = new VirtualClock({ start: systemClock.now(), limit: `${400 * 24}h` })
  const seen: Peer["certificate"][] = []
  const transportFor = ({ certificate }: Peer) => {
    seen.push(certificate)
    return async () => ({ status: 200, headers: {}, body: valueBody({}) })
  }
  // A year without a request: an idle connection would be closed long before.
  const never = Number.POSITIVE_INFINITY
  const connections = { handshake: never, firstRequest: never, idle: never, stall: never }
  const edge = { host: "127.0.0.1", port: 0, certificates, clock, random: systemRandom(), log: silentLog, connections }
  const server = await serveHttps({ ...edge, transportFor })
  const { certificate: cert, key } = certificates.admin
  const client = { ca: certificates.ca.certificate, cert, key }
  const url = `https://127.0.0.1:${server.port}`

  const session = connect(url, client)
  const ticket = new Promise<Buffer>((resolve) => session.once("connect", (_, socket) => socket.once("session", resolve)))
  await ask(session)
  expect(seen.at(-1)).toMatchObject({ commonName: "kubernetes-admin" })

  await clock.advance(366 * day)
  await ask(session)
  expect(seen.at(-1)).toBe("untrusted")

  const again = connect(url, { ...client, session: await ticket })
  await ask(again)
  expect(seen.at(-1)).toBe("untrusted")

  session.destroy()
  again.destroy()
  const closing = server.close(0)
  await clock.advance(1)
  await closing
})

test("of several common names in a certificate the last counts, as in Go", () => {
  const subject = { CN: ["jane", "system:kube-scheduler"], O: ["a", "b"] }
  const times = { valid_from: "Jan  1 00:00:00 2020 GMT", valid_to: "Jan  1 00:00:00 2120 GMT" }
  const socket = { authorized: true, getPeerCertificate: () => ({ subject, fingerprint256: "AB:CD", ...times }) }
  const request = { httpVersionMajor: 1, socket } as unknown as Http2ServerRequest
  expect(new PeerCertificates(systemClock).of(request)).toEqual({
    commonName: "system:kube-scheduler",
    organizations: ["a", "b"],
    fingerprint: "abcd",
  })
})
