import { messageOf, startTimeout, type TransportRequest, type TransportResponse } from "@pilothouse/seams"
import { answerHeaders, forwardedFor, requestHeaders, upgradeHeaders } from "../proxy/hop-by-hop.ts"
import { encodedPath } from "../proxy/proxied-url.ts"
import { endAnswer, type StreamedAnswer, wholeAnswer } from "../proxy/streamed-answer.ts"
import { textResponse } from "../response/text-response.ts"
import type { ProxiedRequest, RemoteApiService } from "../server/aggregation.ts"
import { isAvailable } from "./availability/conditions.ts"
import { type ExtensionCaller, extensionEndpoint, sendToExtension } from "./extension/extension-server.ts"
import { isIdentityHeader } from "./extension/identity-headers.ts"

/** Milliseconds for what describes a group version: clients read it for all groups, and one must not hold them up. */
const discoveryTimeout = 5000

/** Bytes of an answer that a client of this process gets in one piece. Over a socket it goes on as it comes. */
const maxWholeAnswer = 64 * 1024 * 1024

/** Passes a request on to the extension server of a group version, and its answer back as it comes. */
export async function proxyRequest(caller: ExtensionCaller, remote: RemoteApiService, proxied: ProxiedRequest): Promise<TransportResponse> {
  const endpoint = isAvailable(remote) ? endpointOrNone(caller, remote) : undefined
  if (endpoint === undefined) return unavailable
  const { request, isDiscovery } = proxied
  const error = () => new Error("context deadline exceeded")
  const limit = isDiscovery
    ? startTimeout({ clock: caller.clock, timeout: discoveryTimeout, name: "discovery of an extension server", error })
    : undefined
  try {
    return await forward(caller, { remote, endpoint, proxied, signal: bothSignals(request.signal, limit?.signal) })
  } catch (cause) {
    if (request.signal?.aborted) throw cause
    return textResponse(`error trying to reach service: ${messageOf(limit?.isOver ? limit.signal.reason : cause)}\n`, 503)
  } finally {
    limit?.[Symbol.dispose]()
  }
}

/** The condition of the APIService says what is missing. */
function endpointOrNone(caller: ExtensionCaller, remote: RemoteApiService): string | undefined {
  try {
    return extensionEndpoint(caller, remote)
  } catch {
    // Where the Service has changed since the check, the next one says so.
    return undefined
  }
}

function bothSignals(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  return one === undefined || other === undefined ? (one ?? other) : AbortSignal.any([one, other])
}

interface Forwarded {
  readonly remote: RemoteApiService
  readonly endpoint: string
  readonly proxied: ProxiedRequest
  readonly signal: AbortSignal | undefined
}

async function forward(caller: ExtensionCaller, { remote, endpoint, proxied, signal }: Forwarded): Promise<TransportResponse> {
  const { identity: user, isDiscovery, isWatch } = proxied
  // As it was authorized: a "/" that was escaped is one.
  const request = { ...proxied.request, path: encodedPath(decodeURIComponent(proxied.request.path)) }
  const takesStream = !isDiscovery && (request.connection !== undefined || isWatch)
  const headers = forwardedHeaders(request, endpoint, takesStream)
  const response = await sendToExtension(
    caller,
    { remote, endpoint, user },
    { ...request, headers, ...(signal !== undefined && { signal }) },
  )
  if (isRedirect(response)) return await refuseRedirect(response)
  const isOther = request.upgrade !== undefined && response.status !== 101 && response.status < 400
  if (!isOther) return isWatch ? watchOf(response) : await answerOf(response, takesStream)
  await endAnswer(response.body)
  return textResponse(`invalid upgrade response: status code ${response.status}\n`, 503)
}

const unavailable = textResponse("service unavailable\n", 503)

function forwardedHeaders(
  { headers, path, connection, upgrade }: TransportRequest,
  endpoint: string,
  takesStream: boolean,
): TransportRequest["headers"] {
  const kept = Object.entries(requestHeaders(headers)).filter(
    ([name]) => !isIdentityHeader(name) && (takesStream || name !== "accept-encoding"),
  )
  return {
    ...Object.fromEntries(kept),
    "x-forwarded-uri": path,
    "x-forwarded-host": endpoint,
    "x-forwarded-proto": "https",
    ...(upgrade !== undefined && upgradeHeaders(headers)),
    ...(connection !== undefined && {
      "audit-id": connection.auditId,
      "x-forwarded-for": forwardedFor(headers, connection.address),
    }),
  }
}

function watchOf({ status, headers, body }: StreamedAnswer): TransportResponse {
  return { status, headers: answerHeaders(headers), body: { ...body, endsAnywhere: true } }
}

async function answerOf(response: StreamedAnswer, takesStream: boolean): Promise<TransportResponse> {
  const { status, body } = response
  const headers = answerHeaders(response.headers)
  // Without a type none is named to the client either, as Go's proxy has it.
  if (takesStream) return { status, headers: { "content-type": "", ...headers }, body }
  const bytes = await wholeAnswer(body, maxWholeAnswer, "an extension server")
  return { status, headers, body: { type: "bytes", bytes, contentType: headers["content-type"] ?? "" } }
}

function isRedirect({ status, headers }: StreamedAnswer): boolean {
  return status >= 300 && status <= 399 && (headers.location ?? "") !== ""
}

/** A client would follow it with its credentials. */
async function refuseRedirect({ body }: StreamedAnswer): Promise<TransportResponse> {
  await endAnswer(body)
  const bytes = new TextEncoder().encode("the backend attempted to redirect this request, which is not permitted")
  const contentType = "text/plain; charset=utf-8"
  return { status: 502, headers: { "content-type": contentType }, body: { type: "bytes", bytes, contentType } }
}
