import { badRequest, type Status, StatusError, statusOf } from "@pilothouse/api"
import { messageOf, PilothouseError, type TransportRequest, type TransportResponse, valueBody } from "@pilothouse/seams"
import { attributesOf, authorize } from "../authorization/authorize.ts"
import { type Decoded, decodedBody } from "../body/body-value.ts"
import { UnrecognizedBody, unrecognized } from "../body/unrecognized-body.ts"
import { responseKindOf } from "../discovery/response-kind.ts"
import type { Identity } from "../identity.ts"
import { impersonate } from "../impersonation/impersonate.ts"
import { withoutImpersonation } from "../impersonation/requested-user.ts"
import type { ApiVerb, Call } from "../request/call.ts"
import { flag } from "../request/list-options.ts"
import { wantedOf } from "../request/negotiation.ts"
import { noSuchResource } from "../request/no-such-resource.ts"
import { checkPathLength } from "../request/path-limit.ts"
import { type RequestInfo, requestInfoOf } from "../request/request-info.ts"
import { checkWriteOptions, isDryRun } from "../request/write-options.ts"
import type { Resource } from "../resources/resource.ts"
import { deprecationOf } from "../response/deprecations.ts"
import { metricsResponse } from "../response/metrics-response.ts"
import { notFoundPage } from "../response/text-response.ts"
import { mayBeLarge } from "../storage/object-size.ts"
import { verbFunction } from "../verbs/index.ts"
import { healthResponse, isHealthPath } from "./health.ts"
import type { CountedRequest } from "./request-metrics.ts"
import type { Server } from "./server.ts"
import { versionResponse } from "./version.ts"

/** Bytes. Work for a smaller body takes some 20 ms in all. */
const largeBody = 64 * 1024

/** Answers one request. Whatever goes wrong is an answer too. */
export async function handle(server: Server, identity: Identity, request: TransportRequest): Promise<TransportResponse> {
  try {
    return await route(server, identity, request)
  } catch (error) {
    return failure(server, request, error)
  }
}

async function route(server: Server, requestor: Identity, asked: TransportRequest): Promise<TransportResponse> {
  checkPathLength(asked.path)
  const info = requestInfoOf(asked.path)
  const verb = info && verbOf(asked, info)
  const attributes = attributesOf(asked, info, verb)
  const identity = impersonate(server, requestor, asked.headers, attributes)
  const request = identity === requestor ? asked : { ...asked, headers: withoutImpersonation(asked.headers) }
  authorize(server, identity, attributes)
  const extension = server.extensions.find(({ prefix }) => request.path === prefix || request.path.startsWith(`${prefix}/`))
  // What there is in a group is said here, also of one that others answer. Nothing of the sort has a path of a resource's form.
  const fixed = info?.plural === undefined ? fixedResponse(server, request) : undefined
  if (fixed) return fixed
  if (extension) return extension.transport(request)
  if (info === undefined || verb === undefined || !server.registry.hasGroup(info.group)) return notFoundPage()
  const resource = info.plural === undefined ? undefined : server.registry.resource(info.group, info.version, info.plural)
  if (resource === undefined) throw noSuchResource()
  return counted(server, { verb, resource, subresource: info.subresource ?? "" }, async () => {
    const facts = { ...factsOf(request, info, verb), warnings: new Set(deprecationOf(resource.descriptor)) }
    const { value, contentType, findStrict, length = 0 } = await bodyOf(server, request, resource, facts)
    const large = mayBeLarge(request.verb, contentType, length)
    const nextTurn = length < largeBody ? undefined : () => server.turns.next(request.signal)
    const call: Call = { server, identity, resource, ...facts, body: value, contentType, mayBeLarge: large, findStrict, nextTurn }
    const answer = verbFunction(call)
    if (nextTurn === undefined) return answer(call)
    await nextTurn()
    const answered = await answer(call)
    await nextTurn()
    return answered
  })
}

function fixedResponse(server: Server, request: TransportRequest): TransportResponse | Promise<TransportResponse> | undefined {
  if (isHealthPath(request.path)) return healthResponse(server, request)
  return versionResponse(request) ?? metricsResponse(server, request) ?? server.documents(request)
}

/** What a body that cannot be read should have been is known here only. */
async function bodyOf(server: Server, request: TransportRequest, { descriptor }: Resource, { subresource }: Facts): Promise<Decoded> {
  try {
    return await decodedBody(request, server)
  } catch (error) {
    if (!(error instanceof UnrecognizedBody)) throw error
    if (request.verb !== "POST" && request.verb !== "PUT") throw badRequest(error.message)
    const named = descriptor.subresources.find(({ name }) => name === subresource)
    throw unrecognized(named === undefined ? descriptor.kind : responseKindOf(descriptor, named).kind, error.message, error.bytes)
  }
}

/** Upstream counts what was allowed and has a resource, a body that cannot be read too; what is forbidden or is not there counts nowhere. */
async function counted(
  { clock, metrics }: Server,
  asked: CountedRequest,
  answer: () => Promise<TransportResponse>,
): Promise<TransportResponse> {
  const started = clock.elapsed()
  const count = (code: number) => metrics.requests.count(asked, code, clock.elapsed() - started)
  try {
    const response = await answer()
    count(response.status)
    return response
  } catch (error) {
    count(statusOf(error).code ?? 500)
    throw error
  }
}

type Facts = Omit<Call, "server" | "identity" | "resource" | "body" | "contentType" | "mayBeLarge" | "findStrict" | "nextTurn" | "warnings">

function factsOf(request: TransportRequest, info: RequestInfo, verb: ApiVerb): Facts {
  checkWriteOptions(request.query, request.verb)
  return {
    verb,
    namespace: info.namespace,
    name: info.name ?? "",
    subresource: info.subresource ?? "",
    rest: info.rest,
    query: request.query,
    headers: request.headers,
    signal: request.signal,
    wanted: wantedOf(request.headers, request.query),
    dryRun: isDryRun(request.query, request.verb),
  }
}

function verbOf({ verb, query }: TransportRequest, { name, subresource, watch }: RequestInfo): ApiVerb {
  if (verb === "GET") {
    if (subresource === undefined && (watch || flag(query, "watch") === true)) return "watch"
    return name === undefined ? "list" : "get"
  }
  if (verb === "DELETE") return name === undefined ? "deletecollection" : "delete"
  return ({ POST: "create", PUT: "update", PATCH: "patch" } as const)[verb]
}

function failure(server: Server, request: TransportRequest, error: unknown): TransportResponse {
  const status: Status = { ...statusOf(error), ...withoutPaths(server, error) }
  const code = status.code ?? 500
  // A storage that takes no writes, and a time that is over, have been told of where they were noticed.
  if (!(error instanceof StatusError) && code === 500) {
    server.log.error("a request failed in a way it should not", { verb: request.verb, path: request.path, error: messageOf(error) })
  }
  const wait = status.details?.retryAfterSeconds
  const headers = { "content-type": "application/json", ...(wait !== undefined && code === 429 && { "retry-after": String(wait) }) }
  return { status: code, headers, body: valueBody(status) }
}

/** What a storage says of a write that failed names files of this machine: that is for its log. */
function withoutPaths({ storage }: Server, error: unknown): Partial<Status> | undefined {
  if (!(error instanceof PilothouseError) || error.code !== "STORAGE_FAILED") return undefined
  const reason = storage.lastRefusal?.reason ?? "the write was not taken"
  return { message: `${reason}: reads go on, and nothing that was acknowledged is lost; the log of the server has more` }
}
