import type { OutgoingHttpHeaders } from "node:http"
import { type BytesBody, queryValue, type TransportRequest, type TransportResponse, type ValueBody } from "@pilothouse/seams"
import { negotiate, wantsPretty } from "./accept.ts"
import { compressed, isWorthCompressing } from "./compress.ts"
import type { EncodedObjects } from "./encoded-objects.ts"
import type { Exchange } from "./exchange.ts"
import { prettyBody, yamlBody } from "./other-forms.ts"
import { writeStream } from "./write-stream.ts"

/** What of a request decides how its answer is encoded; absent parts where the request could not be read. */
type Asked = Partial<Pick<TransportRequest, "query" | "headers">>

export async function writeResponse(exchange: Exchange, asked: Asked, answer: TransportResponse, encoded: EncodedObjects): Promise<void> {
  const { response } = exchange
  if (response.destroyed || response.writableEnded) return
  const { body } = answer
  if (body.type === "stream") {
    response.writeHead(answer.status, headersOf(exchange, answer, "application/json"))
    return writeStream(exchange, body, encoded)
  }
  if (answer.status === 304 || answer.status === 204 || (body.type === "value" && body.value === undefined)) {
    const length = answer.status === 304 || answer.status === 204 ? {} : { "content-length": 0 }
    response.writeHead(answer.status, { ...headersOf(exchange, answer), ...length })
    return void response.end()
  }
  const { bytes, contentType } = body.type === "bytes" ? body : await encode(body, answer, asked, encoded)
  const headers = headersOf(exchange, answer, contentType)
  if (!isWorthCompressing(bytes, asked.headers?.["accept-encoding"])) return void end(exchange, answer.status, headers, bytes)
  const vary = [answer.headers.vary, "Accept-Encoding"].filter((one) => one !== undefined).join(", ")
  end(exchange, answer.status, { ...headers, "content-encoding": "gzip", vary }, await compressed(bytes))
}

function end({ response }: Exchange, status: number, headers: OutgoingHttpHeaders, bytes: Uint8Array): void {
  // While bytes were made smaller the client may have gone.
  if (response.destroyed || response.writableEnded) return
  headers["content-length"] = bytes.length
  response.writeHead(status, headers)
  response.end(bytes)
}

function headersOf({ auditId }: Exchange, { headers }: TransportResponse, contentType?: string): OutgoingHttpHeaders {
  const all: OutgoingHttpHeaders = { "audit-id": headerText(auditId), "cache-control": "no-cache, private" }
  if (contentType !== undefined) all["content-type"] = headerText(contentType)
  for (const name of Object.keys(headers)) all[name] = headerText(headers[name]!)
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
  if (type.startsWith("application/yaml")) return { bytes: await yamlBody(encoded.value(value)), contentType: type }
  const pretty = wantsPretty(queryValue(query, "pretty"), headers["user-agent"])
  return { bytes: await (pretty ? prettyBody(encoded.value(value)) : encoded.body(value)), contentType: type }
}
