import { once } from "node:events"
import { connect } from "node:net"
import { silentLog, valueBody, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { expect, test } from "vitest"
import { ensureCertificates } from "../certificates/ensure-certificates.ts"
import { serveHttps } from "./serve.ts"
import { ask, textOf } from "./testing/client.ts"

/** What comes back for bytes that are sent without TLS, until the other side ends the connection. */
async function sent(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1")
  const chunks: Buffer[] = []
  socket.on("data", (chunk) => chunks.push(chunk))
  socket.on("error", () => undefined)
  socket.write(text)
  await once(socket, "close")
  return Buffer.concat(chunks).toString()
}

test("an HTTP request to the port of HTTPS gets a 400 that says so, and other connections are not affected", async () => {
  const seams = { files: virtualFiles(systemClock), clock: systemClock, random: systemRandom(), log: silentLog }
  const certificates = await ensureCertificates({ ...seams, directory: "/pki", serviceIp: "10.96.0.1" })
  const transportFor = () => async () => ({ status: 200, headers: {}, body: valueBody("served") })
  const server = await serveHttps({ ...seams, host: "127.0.0.1", port: 0, certificates, transportFor })
  expect(await sent(server.port, "GET /api HTTP/1.1\r\nhost: a\r\n\r\n")).toBe(
    "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n",
  )
  expect(await sent(server.port, "nonsense of some length\r\n\r\n")).not.toContain("400 Bad Request")
  const client = { port: server.port, ca: certificates.ca.certificate }
  expect(await textOf(await ask("HTTP/2", client, { path: "/" }))).toContain("served")
  await server.close(0)
})
