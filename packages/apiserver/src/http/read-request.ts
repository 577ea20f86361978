import { Buffer } from "node:buffer"
import { badRequest, requestEntityTooLarge } from "@pilothouse/api"
import type { Body, HeaderMap, Query, TransportRequest, Verb } from "@pilothouse/seams"
import { bodyLimit } from "../body-limit.ts"
import { isImpersonationHeader } from "../impersonation/requested-user.ts"
import { checkPathLength } from "../path-limit.ts"
import { type Exchange, isHttp2 } from "./exchange.ts"
import { readBody } from "./read-body.ts"
import { unknownMethod } from "./status.ts"

const verbs: ReadonlySet<string> = new Set<Verb>(["GET", "POST", "PUT", "PATCH", "DELETE"])

/** What is known of a request before its body. */
export type RequestHead = Omit<TransportRequest, "body">

/** A request in the terms of the Transport. Throws a StatusError for one that cannot be put so. */
export function readHead(exchange: Exchange, headers: HeaderMap): RequestHead {
  const { method, url } = exchange.request
  // Node leaves the body of an answer to HEAD away.
  const verb = method === "HEAD" ? "GET" : method
  if (!isVerb(verb)) throw unknownMethod()
  const [path, query] = splitUrl(url)
  checkPathLength(path)
  if (!isDecodable(path)) throw badRequest(`invalid percent-encoding in the path ${JSON.stringify(path)}`)
  return { verb, path, query, headers, signal: exchange.controller.signal }
}

/** The whole request. */
export async function readRest(exchange: Exchange, head: RequestHead): Promise<TransportRequest> {
  const body = await readBody(exchange)
  return { ...head, body: body === "too-large" ? tooLarge(head.headers) : bytesBody(body, head.headers) }
}

/** Refused by reading it, as from Go: whoever answers knows better what the request is (forbidden, not there), and counts it. */
function tooLarge(headers: HeaderMap): Body {
  return {
    type: "bytes",
    contentType: headers["content-type"] ?? "application/json",
    get bytes(): Uint8Array {
      throw requestEntityTooLarge(`limit is ${bodyLimit}`)
    },
  }
}

/** Names are in lower case already; HTTP/2's own (":path") are left out, but for the host. */
export function readHeaders({ headers, rawHeaders }: Pick<Exchange["request"], "headers" | "rawHeaders">): HeaderMap {
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(":")) continue
    if (isImpersonationHeader(name)) result[name] = valuesOf(name, rawHeaders).join("\n")
    else result[name] = typeof value === "string" ? value : value.join(", ")
  }
  const authority = headers[":authority"]
  if (typeof authority === "string") result.host ??= authority
  return result
}

/** Each value that a header was said with, as UTF-8: node puts them together with commas, and a group may have commas of its own. */
function valuesOf(name: string, rawHeaders: readonly string[]): readonly string[] {
  const values = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name)
  return values.map((value) => Buffer.from(value, "latin1").toString("utf8"))
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
