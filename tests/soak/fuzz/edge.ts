import { connect as connectHttp2 } from "node:http2"
import { connect } from "node:tls"
import { type Random, recordingLog } from "@pilothouse/seams"
import { startOurApiServer } from "../../real/our-api-server.ts"

/** How long a connection may be left without a word: the server's own limits are longer only for bodies that are still coming. */
const patience = 3000

/** Bytes that are no good HTTP, over real sockets: each is answered with a refusal or cut off, the server logs no fault of its own, and goes on. */
export async function fuzzEdge(random: Random, count: number): Promise<readonly string[]> {
  const { log, lines } = recordingLog()
  await using server = await startOurApiServer({ log })
  const faults: string[] = []
  for (let number = 0; number < count; number++) {
    const [name, text] = hostileRequest(random)
    const answer = await overSocket(server, text)
    if (!/^$|^HTTP\/1\.1 [1245]\d\d /.test(answer) || answer.startsWith("HTTP/1.1 500"))
      faults.push(`${name}: answered ${answer.slice(0, 200)}`)
    if (number % 10 === 0) faults.push(...(await overHttp2(server, random)))
    const alive = await server.client.send({ verb: "GET", path: "/readyz" })
    if (alive.status !== 200) faults.push(`${name}: the server answers ${alive.status} afterwards`)
  }
  const errors = lines.filter(({ level }) => level === "error").map((line) => `the server's own fault: ${JSON.stringify(line)}`)
  return [...faults, ...errors]
}

interface Listening {
  readonly port: number
  readonly ca: string
  readonly url: string
}

/** What came back until the other side closed, or nothing more came. */
function overSocket({ port, ca }: Listening, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, ca, ALPNProtocols: ["http/1.1"] })
    const chunks: Buffer[] = []
    const end = () => {
      socket.destroy()
      resolve(Buffer.concat(chunks).toString("latin1"))
    }
    socket.setTimeout(patience, end)
    socket.once("error", end)
    socket.once("close", end)
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk)
      socket.setTimeout(50, end)
    })
    socket.once("secureConnect", () => socket.end(Buffer.from(text, "latin1")))
  })
}

const line = "POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: a\r\n"
const body = '{"metadata":{"name":"a"}}'

const requests: readonly (readonly [name: string, text: string])[] = [
  ["no HTTP", "hello\r\n\r\n"],
  ["nothing", "\r\n\r\n"],
  ["an unknown method", "BREW /api HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["a version of its own", "GET /api HTTP/9.9\r\nHost: a\r\n\r\n"],
  ["no host", "GET /api HTTP/1.1\r\n\r\n"],
  ["a length that is none", `${line}Content-Length: many\r\n\r\n${body}`],
  ["a negative length", `${line}Content-Length: -5\r\n\r\n${body}`],
  ["two lengths", `${line}Content-Length: 5\r\nContent-Length: 25\r\n\r\n${body}`],
  ["a length and chunks", `${line}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`],
  ["chunks that lie", `${line}Transfer-Encoding: chunked\r\n\r\nfff\r\n${body}\r\n0\r\n\r\n`],
  ["chunks that are none", `${line}Transfer-Encoding: chunked\r\n\r\nxyz\r\n${body}\r\n`],
  ["an unknown encoding", `${line}Transfer-Encoding: gzip, identity\r\n\r\n${body}`],
  ["less than was said", `${line}Content-Length: 900\r\n\r\n${body}`],
  ["a header without a name", "GET /api HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n"],
  ["a header with a zero", "GET /api HTTP/1.1\r\nHost: a\r\nX-A: \u0000\r\n\r\n"],
  ["headers without end", `GET /api HTTP/1.1\r\nHost: a\r\n${"X-A: y\r\n".repeat(5000)}\r\n`],
  ["a header of a megabyte", `GET /api HTTP/1.1\r\nHost: a\r\nX-A: ${"y".repeat(1_000_000)}\r\n\r\n`],
  ["a path without end", `GET /${"a".repeat(200_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
  ["a path with bad escapes", "GET /api/v1/namespaces/%zz/pods HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["a path of bytes", "GET /\u00ff\u00fe HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["a path of another host", "GET https://elsewhere/api HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["an upgrade to nothing", "GET /api HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: nonsense\r\n\r\n"],
  ["an expectation", `${line}Expect: the-unexpected\r\nContent-Length: 25\r\n\r\n${body}`],
  ["credentials of bytes", "GET /api HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \u00ff\u00fe\r\n\r\n"],
  ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
]

/** One of these, sometimes cut or hit somewhere. */
function hostileRequest(random: Random): readonly [string, string] {
  const [name, text] = requests[random.int(requests.length)]!
  const way = random.int(3)
  if (way === 0 || text.length > 10_000) return [name, text]
  const at = random.int(text.length)
  const changed = way === 1 ? text.slice(0, at) : `${text.slice(0, at)}${String.fromCharCode(random.int(256))}${text.slice(at + 1)}`
  return [`${name}, ${way === 1 ? "cut" : "hit"} at ${at}`, changed]
}

/** What a client of HTTP/2 can still send: odd paths and methods, fields that only HTTP/1.1 has, a body that breaks off. */
async function overHttp2({ url, ca }: Listening, random: Random): Promise<readonly string[]> {
  const session = connectHttp2(url, { ca })
  session.on("error", () => session.destroy())
  const paths = ["", "*", "api", "//", "/%", "/../../etc", `/${"a".repeat(20_000)}`]
  const headers = { ":path": paths[random.int(paths.length)], ":method": ["GET", "BREW", "", "get"][random.int(4)] }
  const status = await new Promise<number | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(-1), patience)
    const done = (value: number | undefined) => {
      clearTimeout(timer)
      resolve(value)
    }
    session.once("close", () => done(undefined))
    try {
      const stream = session.request(headers)
      stream.once("response", (answer) => done(Number(answer[":status"])))
      stream.once("error", () => done(undefined))
      stream.once("close", () => done(undefined))
      stream.end(random.bytes(20))
    } catch {
      // The client itself refuses to send it.
      done(undefined)
    }
  })
  session.destroy()
  return status === -1 || status === 500 ? [`HTTP/2 ${JSON.stringify(headers).slice(0, 200)}: ${status === -1 ? "no answer" : status}`] : []
}
