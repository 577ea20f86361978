import { Buffer } from "node:buffer"
import { badRequest, requestEntityTooLarge, StatusError } from "@pilothouse/api"
import type { Body, ClientConnection, HeaderMap, Query, TransportRequest, Verb } from "@pilothouse/seams"
import { bodyLimit } from "../../body/body-limit.ts"
import { isImpersonationHeader } from "../../impersonation/requested-user.ts"
import { checkPathLength } from "../../request/path-limit.ts"
import type { RequestHead } from "../../server/edge-transport.ts"
import { type Exchange, isHttp2 } from "../exchange/exchange.ts"
import { unknownMethod } from "../exchange/status.ts"
import { readBody } from "./read-body.ts"

const verbs: ReadonlySet<string> = new Set<Verb>(["GET", "POST", "PUT", "PATCH", "DELETE"])

/** Different names of headers in one request. HTTP/2 takes as many headers in all; over HTTP/1.1 one name may stand more often, as Impersonate-Group does. */
const maxHeaderNames = 2048

/** A request in the terms of the Transport. Throws a StatusError for one that cannot be put so. */
export function readHead(exchange: Exchange, headers: HeaderMap): RequestHead {
  const { method, url } = exchange.request
  checkHeaderNames(headers)
  // Node leaves the body of an answer to HEAD away.
  const verb = method === "HEAD" ? "GET" : method
  if (!isVerb(verb)) throw unknownMethod()
  const [path, query] = splitUrl(url)
  checkPathLength(path)
  if (!isDecodable(path)) throw badRequest(`invalid percent-encoding in the path ${JSON.stringify(path)}`)
  const { upgrade, controller } = exchange
  return {
    verb,
    path,
    query,
    headers,
    signal: controller.signal,
    connection: new Connection(exchange),
    ...(upgrade !== undefined && { upgrade }),
  }
}

/** Looked up when it is needed: few requests are passed on. */
class Connection implements ClientConnection {
  readonly #exchange: Exchange

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  get address(): string {
    return this.#exchange.request.socket.remoteAddress ?? ""
  }

  get auditId(): string {
    return this.#exchange.auditId
  }
}

/** The whole request. */
export async function readRest(exchange: Exchange, head: RequestHead): Promise<TransportRequest> {
  const body = await readBody(exchange)
  return { ...head, body: body === "too-large" ? tooLarge(head.headers) : bytesBody(body, head.headers) }
}

/** Refused when it is read, as in Go: the handler may have a better answer (forbidden, not found), and counts the request. */
function tooLarge(headers: HeaderMap): Body {
  return {
    type: "bytes",
    contentType: headers["content-type"] ?? "application/json",
    get bytes(): Uint8Array {
      throw requestEntityTooLarge(`limit is ${bodyLimit}`)
    },
  }
}

function checkHeaderNames(headers: HeaderMap): void {
  if (Object.keys(headers).length <= maxHeaderNames) return
  const message = `the request has too many different headers: limit is ${maxHeaderNames}`
  throw new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason: "", code: 431 })
}

/**
 * Names are in lower case already; HTTP/2's own (":path") are left out, but for the host. Clients without credentials choose how many headers there are:
 * each is read once, however many names they have.
 */
export function readHeaders({ headers, rawHeaders }: Pick<Exchange["request"], "headers" | "rawHeaders">): HeaderMap {
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(":") || isImpersonationHeader(name)) continue
    result[name] = typeof value === "string" ? value : value.join(", ")
  }
  for (const [name, values] of impersonationValues(rawHeaders)) result[name] = values.join("\n")
  const authority = headers[":authority"]
  if (typeof authority === "string") result.host ??= authority
  return result
}

/** Each value of a header of impersonation, as UTF-8: node puts them together with commas, and a group may have commas of its own. */
function impersonationValues(rawHeaders: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  let name = ""
  // Names and values take turns.
  for (const [index, text] of rawHeaders.entries()) {
    if (index % 2 === 0) name = text.toLowerCase()
    else if (isImpersonationHeader(name)) {
      const value = Buffer.from(text, "latin1").toString("utf8")
      const values = found.get(name)
      if (values === undefined) found.set(name, [value])
      else values.push(value)
    }
  }
  return found
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
