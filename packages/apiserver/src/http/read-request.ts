import type { IncomingHttpHeaders } from "node:http"
import { badRequest, requestEntityTooLarge } from "@pilothouse/api"
import type { Body, HeaderMap, Query, TransportRequest, Verb } from "@pilothouse/seams"
import { type Exchange, isHttp2 } from "./exchange.ts"
import { bodyLimit, readBody } from "./read-body.ts"
import { unknownMethod } from "./status.ts"

const verbs: ReadonlySet<string> = new Set<Verb>(["GET", "POST", "PUT", "PATCH", "DELETE"])

/** A request in the terms of the Transport. Throws a StatusError for one that cannot be put so. */
export async function readRequest(exchange: Exchange, headers: HeaderMap): Promise<TransportRequest> {
  const { method, url } = exchange.request
  // Node leaves the body of an answer to HEAD away.
  const verb = method === "HEAD" ? "GET" : method
  if (!isVerb(verb)) throw unknownMethod()
  const [path, query] = splitUrl(url)
  if (!isDecodable(path)) throw badRequest(`invalid percent-encoding in the path ${JSON.stringify(path)}`)
  const body = hasBody(exchange) ? await readBody(exchange) : undefined
  if (body === "too-large") throw requestEntityTooLarge(`limit is ${bodyLimit}`)
  return { verb, path, query, headers, body: body && bytesBody(body, headers), signal: exchange.controller.signal }
}

/** Names are in lower case already; HTTP/2's own (":path") are left out, but for the host. */
export function readHeaders(headers: IncomingHttpHeaders): HeaderMap {
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(":")) continue
    result[name] = typeof value === "string" ? value : value.join(", ")
  }
  const authority = headers[":authority"]
  if (typeof authority === "string") result.host ??= authority
  return result
}

export function splitUrl(url: string): [path: string, query: Query] {
  const mark = url.indexOf("?")
  return mark < 0 ? [url, {}] : [url.slice(0, mark), readQuery(url.slice(mark + 1))]
}

function readQuery(text: string): Query {
  // Without a prototype: "__proto__" is a name like any other.
  const query: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    const before = query[name]
    if (before === undefined) query[name] = value
    else if (typeof before === "string") query[name] = [before, value]
    else before.push(value)
  }
  return query
}

function isVerb(method: string): method is Verb {
  return verbs.has(method)
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

export function hasBody(exchange: Exchange): boolean {
  if (isHttp2(exchange)) return !exchange.request.stream.endAfterHeaders
  const { headers } = exchange.request
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0
}

function bytesBody(bytes: Uint8Array, headers: HeaderMap): Body | undefined {
  if (bytes.length === 0) return undefined
  return { type: "bytes", bytes, contentType: headers["content-type"] ?? "application/json" }
}
