import { once } from "node:events"
import { connect as connectHttp2 } from "node:http2"
import { connect as connectTls } from "node:tls"
import { type HeaderMap, silentLog, valueBody, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import type { Certificates } from "../certificates/certificates.ts"
import { ensureCertificates } from "../certificates/ensure-certificates.ts"
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

/** A length as HPACK writes it behind seven bits. */
function lengthOf(length: number): number[] {
  if (length < 127) return [length]
  const bytes = [127]
  let rest = length - 127
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return [...bytes, rest]
}

const headerField = (name: string, value: string) =>
  Buffer.concat([Buffer.from([0, ...lengthOf(name.length)]), Buffer.from(name), Buffer.from(lengthOf(value.length)), Buffer.from(value)])

/** A request with so many bytes of headers, uncompressed. */
function manyHeaders(bytes: number): Buffer {
  const fields = Object.entries({ ":method": "GET", ":scheme": "https", ":authority": "a", ":path": "/x" })
  for (let index = 0; index < bytes / 10_000; index++) fields.push([`x-long-${index}`, "x".repeat(10_000 - 50)])
  return Buffer.concat(fields.map(([name, value]) => headerField(name, value)))
}

function frameOf(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUIntBE(type * 256 + flags, 3, 2)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

const frameNames: Readonly<Record<number, string>> = { 1: "HEADERS", 3: "RST_STREAM", 7: "GOAWAY" }

/** Where a frame has an error code. */
function codeIn(type: number, payload: Buffer): string {
  return type === 1 ? "" : ` ${payload.readUInt32BE(type === 3 ? 0 : 4)}`
}

/** HTTP/2 by hand: node's own client sends headers in frames of 16 KiB, whatever the server takes. */
async function frames() {
  const socket = connectTls({ host: "127.0.0.1", port: server.port, ca: certificates.ca.certificate, ALPNProtocols: ["h2"] })
  let received = Buffer.alloc(0)
  const answers = new Map<number, string>()
  let news = () => {}
  socket
    .on("error", () => undefined)
    .on("data", (chunk) => {
      received = Buffer.concat([received, chunk])
      for (let size = sizeIn(received); size !== undefined; size = sizeIn(received)) {
        const [type, stream, payload] = [received[3]!, received.readUInt32BE(5), received.subarray(9, size)]
        // Of the settings only that they have come: everything else waits for them.
        if (type === 4 && (received[4]! & 1) === 0) socket.write(frameOf(4, 1, 0))
        if (type in frameNames) answers.set(stream, `${frameNames[type]}${codeIn(type, payload)}`)
        received = received.subarray(size)
      }
      news()
    })
  socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frameOf(4, 0, 0)]))
  await once(socket, "data")
  return {
    send(stream: number, block: Buffer, max = 262_144) {
      for (let at = 0; at < block.length; at += max) {
        const last = at + max >= block.length ? 4 : 0
        socket.write(
          at === 0 ? frameOf(1, 1 + last, stream, block.subarray(0, max)) : frameOf(9, last, stream, block.subarray(at, at + max)),
        )
      }
    },
    /** The first thing said of a stream. */
    async answer(stream: number): Promise<string | undefined> {
      while (!answers.has(stream)) {
        await new Promise<void>((resolve) => {
          news = resolve
        })
      }
      return answers.get(stream)
    },
    end: () => socket.destroy(),
  }
}

/** Of the first frame, once all of it is there. */
function sizeIn(bytes: Buffer): number | undefined {
  const size = bytes.length < 9 ? undefined : 9 + bytes.readUIntBE(0, 3)
  return size === undefined || size > bytes.length ? undefined : size
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

test("the limits of HTTP/2 are said as kube-apiserver says them (seen)", async () => {
  const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: certificates.ca.certificate })
  const [settings] = await once(session, "remoteSettings")
  session.destroy()
  expect(settings).toMatchObject({ maxHeaderListSize: 1_048_896, maxFrameSize: 262_144 })
})

test("in frames as large as it may send, a client of Go fills a megabyte", async () => {
  const connection = await frames()
  connection.send(1, manyHeaders(1_000_000))
  expect(await connection.answer(1)).toMatch(/^HEADERS/)
  expect(Object.keys(seen).filter((name) => name.startsWith("x-long-"))).toHaveLength(100)
  connection.end()
})

test("more than a megabyte is one request refused, and the connection goes on", async () => {
  const connection = await frames()
  connection.send(1, manyHeaders(1_100_000))
  expect(await connection.answer(1)).toBe("RST_STREAM 11")
  connection.send(3, manyHeaders(10_000))
  expect(await connection.answer(3)).toMatch(/^HEADERS/)
  connection.end()
})

test("what nghttp2 does not read of many small frames ends the connection with a word", async () => {
  const connection = await frames()
  connection.send(1, manyHeaders(200_000), 16_384)
  expect(await connection.answer(0)).toBe("GOAWAY 2")
  connection.end()
})

test("more than a megabyte is refused in words", async () => {
  const answer = await raw([`X-Long: ${"x".repeat(1_100_000)}`])
  expect(answer).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/)
  expect(answer).toMatch(/\r\n\r\n431 Request Header Fields Too Large$/)
})

test("what comes behind a fault is not another one, for which more listeners wait", async () => {
  const warnings: string[] = []
  const keep = ({ message }: Error) => warnings.push(message)
  process.on("warning", keep)
  onTestFinished(() => void process.off("warning", keep))
  await raw([`X-Long: ${"x".repeat(1_100_000)}`, ...Array.from({ length: 1000 }, () => "no header at all, and a long line of it")])
  await new Promise(setImmediate)
  expect(warnings).toEqual([])
})

test("what is no HTTP is a 400", async () => {
  expect(await raw(["no header at all"])).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[^]*\r\n\r\n400 Bad Request$/)
})

test("over HTTP/1.1 more than 2,048 different names of headers are refused, and one name may stand more often", async () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `Impersonate-Extra-${index}: a`)
  const refused = await raw(names(2050))
  expect(refused).toMatch(/^HTTP\/1\.1 431 /)
  expect(refused).toContain("the request has too many different headers: limit is 2048")
  expect(await raw(names(2000))).toContain("HTTP/1.1 200")
  expect(await raw(groups(5000).map((group) => `Impersonate-Group: ${group}`))).toContain("HTTP/1.1 200")
  expect(seen["impersonate-group"]?.split("\n")).toHaveLength(5000)
})
