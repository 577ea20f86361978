import { once } from "node:events"
import { connect as connectTls, type TLSSocket } from "node:tls"
import { unauthorized } from "@pilothouse/api"
import { silentLog, valueBody, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { afterEach, expect, test } from "vitest"
import { ensureCertificates } from "../certificates/ensure-certificates.ts"
import { type HttpsServer, type ServeOptions, serveHttps } from "./serve.ts"

const open: HttpsServer[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close(0)))
})

async function connected(
  options: Partial<ServeOptions> = {},
): Promise<{ readonly socket: TLSSocket; until(text: string): Promise<string>; rest(): Promise<string> }> {
  const seams = { files: virtualFiles(systemClock), clock: systemClock, random: systemRandom(), log: silentLog }
  const certificates = await ensureCertificates({ ...seams, directory: "/pki", serviceIp: "10.96.0.1" })
  const server = await serveHttps({
    ...seams,
    host: "127.0.0.1",
    port: 0,
    certificates,
    transportFor: ({ headers }) => {
      if (headers.authorization === undefined) throw unauthorized()
      return async ({ body }) => ({ status: 201, headers: {}, body: valueBody(body?.type === "bytes" ? String(body.bytes) : "none") })
    },
    ...options,
  })
  open.push(server)
  const socket = connectTls({ port: server.port, host: "127.0.0.1", ca: certificates.ca.certificate, ALPNProtocols: ["http/1.1"] })
  let text = ""
  socket.setEncoding("utf8").on("data", (chunk) => (text += chunk))
  await once(socket, "secureConnect")
  return {
    socket,
    async until(part) {
      while (!text.includes(part)) await once(socket, "data")
      return text
    },
    async rest() {
      await once(socket, "close")
      return text
    },
  }
}

const head = (...more: readonly string[]) =>
  ["POST /x HTTP/1.1", "Host: a", "Content-Length: 4", "Expect: 100-continue", ...more, "", ""].join("\r\n")

test("100 Continue is sent to a client that is let in, and its body is read then", async () => {
  const { socket, until } = await connected()
  socket.write(head("Authorization: Bearer x", "Connection: close"))
  expect(await until("\r\n\r\n")).toBe("HTTP/1.1 100 Continue\r\n\r\n")
  socket.write("body")
  expect(await until('"body"')).toContain("HTTP/1.1 201 Created")
})

test("a client that is refused gets no 100 Continue, and no other request on that connection is taken for its body", async () => {
  const { socket, rest } = await connected()
  socket.write(head())
  const text = await rest()
  expect(text).toMatch(/^HTTP\/1.1 401 Unauthorized\r\n/)
  expect(text.toLowerCase()).toContain("connection: close")
})

test("where bodies have no use, no client gets 100 Continue, known or not, and none is kept waiting", async () => {
  const { socket, rest } = await connected({ readsBodies: false })
  socket.write(head("Authorization: Bearer x"))
  const text = await rest()
  expect(text).toMatch(/^HTTP\/1.1 201 Created\r\n/)
  expect(text.toLowerCase()).toContain("connection: close")
  expect(text).toContain('"none"')
})

test.each(["Host: b", "hOST: a"])("two Host headers are refused, be the second %s", async (second) => {
  const { socket, rest } = await connected()
  socket.write(`GET /x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\n${second}\r\n\r\n`)
  const text = await rest()
  expect(text).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
  expect(text).toMatch(/400 Bad Request: too many Host headers$/)
})

test("a client that waits for no answer has its requests read one after the other: the next when those before are answered", async () => {
  let [underWay, max] = [0, 0]
  const { socket, until } = await connected({
    transportFor: () => async () => {
      max = Math.max(max, ++underWay)
      await new Promise((resolve) => void setImmediate(resolve))
      underWay--
      return { status: 200, headers: {}, body: valueBody("yes") }
    },
  })
  const requests = (count: number) => "GET /x HTTP/1.1\r\nHost: a\r\n\r\n".repeat(count)
  socket.write(`${requests(1000)}GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
  const text = await until("close")
  expect([text.match(/HTTP\/1.1 200 OK/g)?.length, max <= 64]).toEqual([1001, true])
})

test.each([
  ["a length", "Content-Length: 5\r\n\r\nhello"],
  ["chunks", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"],
])("hundreds of writes that are sent without waiting for answers are answered, with bodies of %s", async (_what, rest) => {
  const { socket, until } = await connected()
  const write = (more: string) => `POST /x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\n${more}${rest}`
  socket.write(`${write("").repeat(500)}${write("Connection: close\r\n")}`)
  expect((await until("close")).match(/HTTP\/1.1 201 Created/g)).toHaveLength(501)
})

test("a long body between two other requests is read, and they are answered", async () => {
  const { socket, until } = await connected()
  const post = (body: string, more = "") =>
    `POST /x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`
  const long = "x".repeat(1_000_000)
  socket.write(`${post("first")}${post(long)}${post("last", "Connection: close\r\n")}`)
  const text = await until('"last"')
  expect([text.includes('"first"'), text.includes(long), text.match(/HTTP\/1.1 201/g)?.length]).toEqual([true, true, 3])
})

test("requests that are sent without waiting for answers are answered in their order", async () => {
  const { socket, rest } = await connected({
    transportFor:
      () =>
      async ({ path }) => ({ status: 200, headers: {}, body: valueBody(path) }),
  })
  const paths = Array.from({ length: 60 }, (_, index) => `/p${index}`)
  socket.write(paths.map((path, at) => `GET ${path} HTTP/1.1\r\nHost: a\r\n${at === 59 ? "Connection: close\r\n" : ""}\r\n`).join(""))
  expect((await rest()).match(/\/p\d+/g)).toEqual(paths)
})
