import type { OutgoingHttpHeaders } from "node:http"
import {
  abortable,
  type BytesBody,
  type Frame,
  onAbort,
  parseJson,
  queryValue,
  type Stream,
  stringifyJson,
  type TransportRequest,
  type TransportResponse,
  type ValueBody,
} from "@pilothouse/seams"
import { negotiate, wantsPretty } from "../../request/accept.ts"
import { breakOff, drained, type Exchange, flushHeaders, pieceSize, writePieces } from "../exchange/exchange.ts"
import { compressed, isWorthCompressing } from "./compress.ts"
import type { BodyValue, EncodedObjects } from "./encoded-objects.ts"

/** What of a request decides how its answer is encoded; absent parts where the request could not be read. */
type Asked = Partial<Pick<TransportRequest, "query" | "headers">>

/** Writes an answer to the socket: streams frame by frame, values encoded in turns and compressed where the client accepts it. */
export async function writeResponse(exchange: Exchange, asked: Asked, answer: TransportResponse, encoded: EncodedObjects): Promise<void> {
  const { response } = exchange
  if (response.destroyed || response.writableEnded) return
  const { body } = answer
  if (body.type === "stream") {
    try {
      response.writeHead(answer.status, headersOf(exchange, answer, "application/json"))
    } catch (error) {
      // Headers that cannot be written must not leave the connection open that the stream comes from.
      await body.frames[Symbol.asyncIterator]().return?.()
      throw error
    }
    return writeStream(exchange, body, encoded)
  }
  if (answer.status === 304 || answer.status === 204 || (body.type === "value" && body.value === undefined)) {
    const length = answer.status === 304 || answer.status === 204 ? {} : { "content-length": 0 }
    response.writeHead(answer.status, { ...headersOf(exchange, answer), ...length })
    return void response.end()
  }
  const { bytes, contentType } = body.type === "bytes" ? body : await encode(body, answer, asked, encoded)
  const headers = headersOf(exchange, answer, contentType)
  if (!isWorthCompressing(bytes, asked.headers?.["accept-encoding"])) return end(exchange, answer.status, headers, bytes)
  const vary = [answer.headers.vary, "Accept-Encoding"].filter((one) => one !== undefined).join(", ")
  await end(exchange, answer.status, { ...headers, "content-encoding": "gzip", vary }, await compressed(bytes))
}

/** Ends when the client has taken a large answer but for its last piece: until then its request is in flight. */
async function end({ request, response }: Exchange, status: number, headers: OutgoingHttpHeaders, bytes: Uint8Array): Promise<void> {
  // While bytes were made smaller the client may have gone.
  if (response.destroyed || response.writableEnded) return
  headers["content-length"] = bytes.length
  response.writeHead(status, headers)
  // An answer to HEAD has no body that could be written.
  const last = bytes.length <= pieceSize || request.method === "HEAD" ? bytes : await writePieces(response, bytes)
  if (!response.destroyed) response.end(last)
}

function headersOf({ auditId }: Exchange, { status, headers }: TransportResponse, contentType?: string): OutgoingHttpHeaders {
  const all: OutgoingHttpHeaders = { "audit-id": headerText(auditId), "cache-control": "no-cache, private" }
  if (contentType !== undefined) all["content-type"] = headerText(contentType)
  for (const name of Object.keys(headers)) {
    all[name] = name === "set-cookie" ? headers[name]!.split("\n").map(headerText) : headerText(headers[name]!)
  }
  // Go's server names no type of what the client has already; "" stands for an answer of another server that has none.
  if (status === 304 || all["content-type"] === "") delete all["content-type"]
  return all
}

/** Node takes one character per byte and no control characters; a warning may quote anything a client sent. UTF-8 goes out as its bytes, as from Go. */
function headerText(value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return value
  const printable = value.replaceAll(/\p{Cc}/gu, " ")
  return Buffer.from(printable, "utf8").toString("latin1")
}

type Encoded = Omit<BytesBody, "type">

async function encode(
  { value }: ValueBody,
  answer: TransportResponse,
  { headers = {}, query = {} }: Asked,
  encoded: EncodedObjects,
): Promise<Encoded> {
  // A handler that has negotiated says so; a Status of the edge itself goes by what the client accepts.
  const type = answer.headers["content-type"] ?? negotiate(headers.accept)
  if (type.startsWith("application/yaml")) return { bytes: await yamlBody(await encoded.body(value)), contentType: type }
  const pretty = wantsPretty(queryValue(query, "pretty"), headers["user-agent"])
  return { bytes: await (pretty ? prettyBody(encoded.value(value)) : encoded.body(value)), contentType: type }
}

/** JSON with line breaks. A list is written item by item: each is the part behind the head of a list that has no other. */
export async function prettyBody({ whole, rest, items }: BodyValue): Promise<Uint8Array> {
  const text = (value: unknown) => stringifyJson(value, 2)
  if (items === undefined) return Buffer.from(text(whole))
  const [open, close] = ['{\n  "items": [\n', "\n  ]\n}"]
  const parts = await items((item) => text({ items: [item] }).slice(open.length, -close.length))
  if (parts.length === 0) return Buffer.from(text({ ...rest, items: [] }))
  const head = text({ ...rest, items: [] })
  return Buffer.from(`${head.slice(0, -"]\n}".length)}\n${parts.join(",\n")}${close}`)
}

/** Bytes of JSON up to which YAML is written with line breaks: its library needs half a second for a megabyte. */
const blockYamlLimit = 128 * 1024

/**
 * YAML of what the JSON says. A larger answer is YAML's flow style, which is the JSON itself. The library is loaded with the first request for YAML.
 * Readers of YAML 1.1 take a bare time or "on" for something else: those are quoted.
 */
export async function yamlBody(json: Uint8Array): Promise<Uint8Array> {
  if (json.length > blockYamlLimit) return json
  const { stringify } = await import("yaml")
  const value = parseJson(Buffer.from(json).toString())
  return Buffer.from(stringify(value, { version: "1.1", aliasDuplicateObjects: false, lineWidth: 0 }))
}

/**
 * Sends frames as they come, and asks for the next only when the client has room for it:
 * a slow client holds its own stream up, never our memory.
 */
export async function writeStream(exchange: Exchange, stream: Stream, encoded: EncodedObjects): Promise<void> {
  const { response, controller, stopping } = exchange
  const { signal } = controller
  flushHeaders(response)
  let isCut = false
  using _ = onAbort(stopping, () => {
    isCut = stream.endsAnywhere !== true
    controller.abort()
  })
  const frames = stream.frames[Symbol.asyncIterator]()
  try {
    while (!signal.aborted) {
      const next = await abortable(frames.next(), signal)
      if (next.done) break
      const bytes = bytesOf(next.value, encoded)
      const last = bytes.length <= pieceSize ? bytes : await writePieces(response, bytes)
      if (!signal.aborted && !response.write(last) && !signal.aborted) await drained(response, signal)
    }
  } catch (error) {
    if (!signal.aborted) {
      breakOff(exchange)
      throw error
    }
  } finally {
    // Not awaited: a stream that is stuck in its own next() would keep us here.
    frames.return?.().catch(() => undefined)
    // Over HTTP/1.1 the last chunk would say that this was all.
    if (isCut) breakOff(exchange)
    else response.end()
  }
}

function bytesOf(frame: Frame, encoded: EncodedObjects): Uint8Array {
  return frame.type === "bytes" ? frame.bytes : encoded.line(frame.value)
}
