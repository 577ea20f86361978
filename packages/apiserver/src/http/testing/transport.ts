import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2"
import {
  type Body,
  type Frame,
  type HeaderMap,
  onAbort,
  parseJson,
  type Query,
  recordingLog,
  stringifyJson,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  valueBody,
  virtualFiles,
} from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import type { Certificates } from "../../certificates/certificates.ts"
import { ensureCertificates } from "../../certificates/ensure-certificates.ts"
import { serveHttps } from "../serve.ts"

/** Made once for all who ask: keys take their time. */
const certificates = once((): Promise<Certificates> => {
  const seams = { files: virtualFiles(systemClock), clock: systemClock, random: systemRandom() }
  return ensureCertificates({ ...seams, directory: "/pki", serviceIp: "10.96.0.1" })
})

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** A way to a transport over real sockets: TLS, HTTP/2, one connection. */
export async function overTls(inner: Transport): Promise<{ readonly transport: Transport; close(): Promise<void> }> {
  const made = await certificates()
  const { log } = recordingLog()
  const edge = { host: "127.0.0.1", port: 0, certificates: made, clock: systemClock, random: systemRandom(), log }
  const server = await serveHttps({ ...edge, transportFor: () => inner })
  const session = connect(`https://127.0.0.1:${server.port}`, { ca: made.ca.certificate })
  session.on("error", () => undefined)
  return {
    transport: (request) => exchange(session, request),
    async close() {
      session.destroy()
      await server.close(0)
    },
  }
}

function exchange(session: ClientHttp2Session, request: TransportRequest): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const { verb, path, query, headers, body, signal } = request
    const stream = session.request(
      { ":method": verb, ":path": `${path}${queryText(query)}`, ...headers, ...typeOf(body, headers) },
      { endStream: body === undefined },
    )
    const leaving = onAbort(signal, () => stream.destroy())
    stream.on("error", reject)
    stream.on("close", () => leaving[Symbol.dispose]())
    stream.on("response", (received) => {
      const { ":status": status = 0, ...others } = received
      const answered = others as HeaderMap
      const watch = verb === "GET" && queryOf(query, "watch")
      if (watch && status === 200) return resolve({ status, headers: answered, body: { type: "stream", frames: frames(stream) } })
      whole(stream).then((bytes) => resolve({ status, headers: answered, body: bodyOf(bytes, answered["content-type"]) }), reject)
    })
    if (body !== undefined) stream.end(bytesOf(body))
  })
}

function queryOf(query: Query, name: string): boolean {
  return query[name] === "true" || query[name] === "1"
}

function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, one] as [string, string]))
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`
}

function typeOf(body: Body | undefined, headers: HeaderMap): HeaderMap {
  if (body === undefined || headers["content-type"] !== undefined) return {}
  return { "content-type": body.type === "bytes" ? body.contentType : "application/json" }
}

function bytesOf(body: Body): Uint8Array {
  return body.type === "bytes" ? body.bytes : Buffer.from(stringifyJson(body.value))
}

function bodyOf(bytes: Buffer, contentType = ""): Body {
  return contentType.startsWith("application/json") ? valueBody(parseJson(bytes.toString())) : { type: "bytes", bytes, contentType }
}

async function whole(stream: ClientHttp2Stream): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function* frames(stream: ClientHttp2Stream): AsyncGenerator<Frame> {
  let rest = ""
  try {
    for await (const chunk of stream) {
      const lines = `${rest}${String(chunk)}`.split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) yield valueBody(parseJson(line))
    }
  } finally {
    stream.destroy()
  }
}
