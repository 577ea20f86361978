import { StatusError, serviceUnavailable } from "@pilothouse/api"
import {
  type Dial,
  type HeaderMap,
  messageOf,
  noBody,
  PilothouseError,
  type Query,
  type Stream,
  type TransportRequest,
  type TransportResponse,
} from "@pilothouse/seams"
import type { Call } from "../server/call.ts"
import { isSimulatedAddress } from "../services/ready-endpoint.ts"
import { answerHeaders, forwardedFor, requestHeaders, upgradeHeaders } from "./hop-by-hop.ts"
import { encodedPath, joinKeepingSlash, rewriteUrl } from "./proxied-url.ts"
import { hostOf, type ProxyTarget } from "./proxy-target.ts"
import { endAnswer, proxiedAnswer, type StreamedAnswer, wholeAnswer } from "./streamed-answer.ts"

/** Bytes of an answer that a client of this process gets in one piece. Over a socket it goes on as it comes. */
const maxWholeAnswer = 64 * 1024 * 1024

/** What is sent where. */
interface Proxied {
  readonly call: Call
  readonly target: ProxyTarget
  /** Decoded: what follows "proxy", as admission has left it. */
  readonly path: string
  /** What stands before the path of the target in URLs of this server, encoded. */
  readonly prefix: string
}

/** Passes a request on to a pod, and its answer back as it comes; URLs of the answer that lead to the pod lead through the proxy then. */
export async function proxyToTarget(call: Call, target: ProxyTarget, admitted: string): Promise<TransportResponse> {
  const { sent } = call
  const asked = decodeURIComponent(sent.path)
  const joined = joinKeepingSlash(admitted)
  const path = asked.endsWith("/") && !joined.endsWith("/") ? `${joined}/` : joined
  if (path === "" && sent.verb === "GET" && sent.upgrade === undefined) return withSlash(sent)
  const prefix = encodedPath(path !== "" && asked.endsWith(path) ? asked.slice(0, -path.length) : asked)
  const proxied: Proxied = { call, target, path: path === "" ? "/" : path, prefix }
  const response = await send(proxied)
  if (response.status === 101 && sent.upgrade !== undefined) return response
  const { body } = response
  if (sent.upgrade !== undefined && response.status < 400) {
    await endAnswer(body)
    throw failed(`invalid upgrade response: status code ${response.status}`)
  }
  return answerOf(proxied, response, body)
}

/** Links of a page are relative to a folder, which ends with a slash. */
function withSlash({ path, query }: TransportRequest): TransportResponse {
  return { status: 301, headers: { location: `${path}/${queryText(query)}` }, body: noBody }
}

function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, values]) => [values].flat().map((value) => [name, value] as [string, string]))
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`
}

async function send({ call, target, path, prefix }: Proxied): Promise<StreamedAnswer> {
  const { sent, server } = call
  const { verb, query, body, signal, upgrade, connection } = sent
  const at = encodedPath(path)
  const headers: HeaderMap = {
    ...requestHeaders(call.headers),
    host: call.headers.host ?? hostOf(target),
    ...(upgrade === undefined ? { connection: "close", "x-forwarded-uri": joinKeepingSlash(prefix, at) } : upgradeHeaders(call.headers)),
    ...(connection !== undefined && { "x-forwarded-for": forwardedFor(call.headers, connection.address) }),
  }
  try {
    const dial = dialOf(server, target)
    // Upstream checks no certificate either: it has an address, and no name to hold it against.
    const to = { server: `${target.scheme}://${hostOf(target)}`, insecure: true, streams: true }
    const request = { verb, path: at, query, headers, ...(body && { body }), ...(signal && { signal }), ...(upgrade && { upgrade }) }
    return await proxiedAnswer(await dial(to)(request))
  } catch (cause) {
    if (signal?.aborted || cause instanceof StatusError) throw cause
    if (upgrade !== undefined) throw failed(`error dialing backend: ${messageOf(cause)}`)
    throw serviceUnavailable(`error trying to reach service: ${messageOf(cause)}`)
  }
}

function dialOf(server: Call["server"], target: ProxyTarget): Dial {
  const { dialPod, dial = dialPod } = server
  const found = dialPod ?? dial
  if (found === undefined) throw new PilothouseError("CONNECTION_LOST", "this server has no way into the pod network")
  // Without a network of pods there is none to answer for it: dialling would wait for an address that no network has.
  if (dialPod === undefined && isSimulatedAddress(server, target.address, target.nodeName))
    throw new PilothouseError("CONNECTION_LOST", `dial tcp ${hostOf(target)}: connect: connection refused`)
  return found
}

function failed(message: string): StatusError {
  return new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 })
}

async function answerOf(
  { call, target, prefix }: Proxied,
  { status, headers: given }: TransportResponse,
  body: Stream,
): Promise<TransportResponse> {
  const page = { prefix, hosts: { server: hostOf(target), client: call.headers.host ?? "" } }
  const rewrite = (url: string) => rewriteUrl(url, page)
  const { location, ...others } = answerHeaders(given)
  const headers: HeaderMap = {
    // The server names JSON where nothing is said, which a page of a pod seldom is.
    "content-type": "text/plain; charset=utf-8",
    ...others,
    ...(location !== undefined && { location: rewrite(location) }),
  }
  if (status === 204 || status === 304) {
    await endAnswer(body)
    const { "content-length": _length, ...without } = headers
    // A 304 has the length of what was not sent; behind a 204 some clients would wait for that many bytes, or take the next answer for them.
    return { status, headers: status === 304 ? headers : without, body: noBody }
  }
  const isPage = location === undefined && (headers["content-type"] ?? "").split(";")[0]!.trim() === "text/html"
  const rewritten = isPage ? await rewrittenPage(headers, body, rewrite) : { headers, body }
  if (call.sent.connection !== undefined) return { status, ...rewritten }
  const bytes = await wholeAnswer(rewritten.body, maxWholeAnswer, "a pod")
  const contentType = rewritten.headers["content-type"] ?? ""
  return { status, headers: rewritten.headers, body: { type: "bytes", bytes, contentType } }
}

interface Page {
  readonly headers: HeaderMap
  readonly body: Stream
}

/** Loaded with the first page. */
async function rewrittenPage(headers: HeaderMap, body: Stream, rewrite: (url: string) => string): Promise<Page> {
  const { rewritePage } = await import("./rewrite-page.ts")
  return rewritePage(headers, body, rewrite)
}
