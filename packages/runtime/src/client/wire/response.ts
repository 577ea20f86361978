import { apiVersionOf, type Descriptor, isStatus, type KubeObject, StatusError, unexpectedResponse } from "@pilothouse/api"
import { type Body, PilothouseError, parseJson, stringifyJson, type TransportResponse } from "@pilothouse/seams"
import { retryAfterHeader } from "../middleware/retry-after-header.ts"

/** What was request, for messages. */
export interface RequestInfo {
  readonly verb: string
  readonly path: string
  readonly of?: Descriptor
  readonly name?: string
}

/** Returns the value of a complete response; throws a StatusError when the server refused. Text where the server sent text (logs, health). */
export function responseValue(response: TransportResponse, request: RequestInfo): unknown {
  if (response.body.type === "stream")
    throw new PilothouseError("PROTOCOL", `expected a whole answer to ${describeRequest(request)}, found a stream`)
  const value = decodeBody(response.body, request)
  if (response.status >= 400) throw refusal(response, value, request)
  return value
}

/** Returns the object in a response. A proxy's login page has status 200, too. */
export function responseObject(response: TransportResponse, request: RequestInfo): KubeObject {
  const value = responseValue(response, request)
  if (typeof value === "object" && value !== null && "kind" in value) return value as KubeObject
  const found = value === undefined ? "an empty answer" : JSON.stringify(String(value).slice(0, 80))
  throw new PilothouseError(
    "PROTOCOL",
    `expected a Kubernetes object in the answer to ${describeRequest(request)}, found ${found}; check that the address is an API server's, and not that of a proxy or a login page`,
  )
}

function decodeBody(body: Body, request: RequestInfo): unknown {
  if (body.type === "value") return body.value
  if (body.bytes.length === 0) return undefined
  const text = Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.length).toString()
  if (!body.contentType.includes("json") && !text.startsWith("{")) return text
  try {
    return parseJson(text)
  } catch (cause) {
    // Errors of proxies come as plain text under any content type: the status code decides what they mean.
    if (!body.contentType.includes("json")) return text
    throw notJson(request, text, cause)
  }
}

/** Returns the error for an answer that is not JSON, with its first 80 characters. */
export function notJson(request: RequestInfo, text: string, cause?: unknown): PilothouseError {
  const found = `${JSON.stringify(text.slice(0, 80))}${text.length > 80 ? ` … (${text.length} characters)` : ""}`
  const advice = "it may be truncated, or come from something that is not an API server: check the proxies in between"
  return new PilothouseError("PROTOCOL", `expected JSON in the answer to ${describeRequest(request)}, found ${found}; ${advice}`, { cause })
}

function refusal({ status, headers }: TransportResponse, value: unknown, { verb, of, name }: RequestInfo): StatusError {
  if (isStatus(value)) return new StatusError(value)
  const body = typeof value === "string" ? value.trim() : value === undefined ? "" : stringifyJson(value)
  const retryAfterSeconds = Math.ceil((retryAfterHeader(headers) ?? 0) / 1000)
  const refused = unexpectedResponse({ code: status, method: verb, resource: of, name, body, retryAfterSeconds })
  // With other codes the text of the page is in the message already.
  if (status !== 404 || !body.startsWith("<")) return refused
  const advice = "the answer is a web page: check that the address is an API server's"
  return new StatusError({ ...refused.status, message: `${refused.message}; ${advice}` })
}

function describeRequest({ verb, path }: RequestInfo): string {
  return `${verb} ${path}`
}

/** Adds apiVersion and kind, which items of a list do not have on the wire. Objects shared with a server have them already. */
export function withType<T extends KubeObject>(descriptor: Descriptor<T>, object: T): T {
  if (object.kind !== undefined && object.apiVersion !== undefined) return object
  return { ...object, apiVersion: apiVersionOf(descriptor), kind: descriptor.kind }
}
