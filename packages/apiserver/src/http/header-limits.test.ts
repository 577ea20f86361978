import { once } from "node:events"
import { connect as connectHttp2 } from "node:http2"
import { connect as connectTls } from "node:tls"
import { type HeaderMap, silentLog, valueBody, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Certificates, ensureCertificates } from "../certificates/ensure.ts"
import { type HttpsServer, serveHttps } from "./serve.ts"

let certificates: Certificates
let server: HttpsServer
let seen: HeaderMap = {}

beforeAll(async () => {
  const seams = { files: virtualFiles(systemClock), clock: systemClock, random: systemRandom() }
  certificates = await ensureCertificates({ ...seams, directory: "/pki", serviceIp: "10.96.0.1" })
  const transportFor = ({ headers }: { readonly headers: HeaderMap }) => {
    seen = headers
    return async () => ({ status: 200, headers: {}, body: valueBody({}) })
  }
  server = await serveHttps({ ...seams, host: "127.0.0.1", port: 0, certificates, log: silentLog, transportFor })
})
afterAll(() => server.close(0))

/** The whole answer, as it came. */
async function raw(lines: readonly string[]): Promise<string> {
  const socket = connectTls({ host: "127.0.0.1", port: server.port, ca: certificates.ca.certificate, ALPNProtocols: ["http/1.1"] })
  const chunks: Buffer[] = []
  socket.on("data", (chunk) => chunks.push(chunk)).on("error", () => undefined)
  socket.write(["GET /x HTTP/1.1", "Host: a", "Connection: close", ...lines, "", ""].join("\r\n"))
  await once(socket, "close")
  return Buffer.concat(chunks).toString()
}

async function overHttp2(headers: Readonly<Record<string, string | readonly string[]>>): Promise<number> {
  const options = { ca: certificates.ca.certificate, maxSendHeaderBlockLength: 2 ** 20 }
  const session = connectHttp2(`https://127.0.0.1:${server.port}`, options)
  // The settings say how much may be sent.
  await once(session, "remoteSettings")
  const stream = session.request({ ":path": "/x", ...headers } as Record<string, string>)
  stream.resume()
  const [received] = await once(stream, "response")
  session.destroy()
  return received[":status"]
}

const groups = (count: number) => Array.from({ length: count }, (_, index) => `group-${index}`)

test("a user of 1500 groups is impersonated with all of them", async () => {
  const all = groups(1500)
  expect(await overHttp2({ "impersonate-user": "u", "impersonate-group": all })).toBe(200)
  expect(seen["impersonate-group"]?.split("\n")).toEqual(all)
  seen = {}
  expect(await raw(all.map((group) => `Impersonate-Group: ${group}`))).toContain("HTTP/1.1 200")
  expect(seen["impersonate-group"]?.split("\n")).toEqual(all)
})

test("half a megabyte of headers is taken", async () => {
  const long = "x".repeat(50_000)
  const lines = Array.from({ length: 10 }, (_, index) => `X-Long-${index}: ${long}`)
  expect(await raw(lines)).toContain("HTTP/1.1 200")
  expect(seen["x-long-9"]).toBe(long)
})

test("over HTTP/2 so much is taken as nghttp2 reads of one request", async () => {
  const long = "x".repeat(50_000)
  expect(await overHttp2({ "x-long-0": long, "x-long-1": long })).toBe(200)
  expect(seen["x-long-1"]).toBe(long)
})

test("more than a megabyte is refused in words", async () => {
  const answer = await raw([`X-Long: ${"x".repeat(1_100_000)}`])
  expect(answer).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/)
  expect(answer).toMatch(/\r\n\r\n431 Request Header Fields Too Large$/)
})

test("what is no HTTP is a 400", async () => {
  expect(await raw(["no header at all"])).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[^]*\r\n\r\n400 Bad Request$/)
})
