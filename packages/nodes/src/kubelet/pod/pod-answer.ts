import type { Pod } from "@pilothouse/api/core/v1"

/** What a simulated pod does with the bytes of one connection: HTTP is answered with who it is, everything else comes back as it was. */
export interface Answering {
  /** The bytes to send back, and whether the connection ends after them. */
  take(bytes: Uint8Array): { readonly send: Uint8Array; readonly end: boolean }
}

const requestLine = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE) (\S+) HTTP\/1\.([01])\r\n/
const methods = ["GET ", "HEAD ", "POST ", "PUT ", "PATCH ", "DELETE ", "OPTIONS ", "TRACE "]
const nothing = new Uint8Array()

/** Returns how the simulated pod answers requests. */
export function answering(pod: Pod): Answering {
  let waiting: Buffer = Buffer.alloc(0)
  let speaks: "http" | "echo" | undefined
  return {
    take(bytes) {
      if (speaks === "echo") return { send: bytes, end: false }
      waiting = Buffer.concat([waiting, bytes])
      speaks ??= protocolOf(waiting)
      if (speaks === undefined) return { send: nothing, end: false }
      if (speaks === "echo") return { send: waiting, end: false }
      const { answers, rest, end } = answerAll(waiting, pod)
      waiting = rest
      return { send: Buffer.concat(answers), end }
    },
  }
}

/** Undefined: too few bytes to tell. */
function protocolOf(bytes: Buffer): "http" | "echo" | undefined {
  const head = bytes.subarray(0, 8).toString("latin1")
  if (methods.some((method) => head.startsWith(method))) return "http"
  return methods.some((method) => method.startsWith(head)) ? undefined : "echo"
}

interface Answers {
  readonly answers: readonly Buffer[]
  readonly rest: Buffer
  readonly end: boolean
}

/** As many requests as are complete: clients may send the next before the first is answered. */
function answerAll(bytes: Buffer, pod: Pod): Answers {
  const answers: Buffer[] = []
  let rest = bytes
  for (;;) {
    const request = requestIn(rest)
    if (request === undefined) return { answers, rest, end: false }
    answers.push(answerTo(request, pod))
    rest = rest.subarray(request.length)
    if (request.end) return { answers, rest, end: true }
  }
}

interface HttpRequest {
  readonly method: string
  readonly path: string
  /** Bytes of the request with its body. */
  readonly length: number
  /** Whether it is the last of its connection. */
  readonly end: boolean
}

function requestIn(bytes: Buffer): HttpRequest | undefined {
  const blank = bytes.indexOf("\r\n\r\n")
  if (blank < 0) return undefined
  const head = bytes.subarray(0, blank + 4).toString("latin1")
  const [, method, path, minor] = requestLine.exec(head) ?? []
  const lines = head.split("\r\n")
  const header = (name: string) =>
    lines.find((line) => line.slice(0, name.length + 1).toLowerCase() === `${name}:`)?.slice(name.length + 1) ?? ""
  // A chunked request is answered at once, and not again.
  const chunked = /chunked/i.test(header("transfer-encoding"))
  const length = head.length + (Number(header("content-length")) || 0)
  if (method === undefined || path === undefined) return { method: "", path: "", length: bytes.length, end: true }
  if (bytes.length < length && !chunked) return undefined
  const end = chunked || /close/i.test(header("connection")) || (minor === "0" && !/keep-alive/i.test(header("connection")))
  return { method, path, length: Math.min(length, bytes.length), end }
}

function answerTo({ method, path, end }: HttpRequest, { metadata, spec }: Pod): Buffer {
  const good = method !== ""
  const who = `pod ${metadata.name}\nnamespace ${metadata.namespace}\nnode ${spec?.nodeName}\npath ${path}\n`
  const body = good ? who : "expected an HTTP request\n"
  const head = [
    `HTTP/1.1 ${good ? "200 OK" : "400 Bad Request"}`,
    "Content-Type: text/plain; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Connection: ${end ? "close" : "keep-alive"}`,
  ]
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${method === "HEAD" ? "" : body}`)
}
