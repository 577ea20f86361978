import { badRequest, statusOf } from "@pilothouse/api"
import type { TransportRequest, TransportResponse } from "@pilothouse/seams"
import { contentTypeOf, type Decoded, decodedBody } from "../body/body-value.ts"
import { UnrecognizedBody, unrecognized } from "../body/unrecognized-body.ts"
import { responseKindOf } from "../discovery/response-kind.ts"
import { wantedOf } from "../request/negotiation.ts"
import { noSuchResource } from "../request/no-such-resource.ts"
import type { ApiVerb, RequestInfo } from "../request/request-info.ts"
import { checkWriteOptions, isDryRun, writeQueryOf } from "../request/write-options.ts"
import { isCustom, type Resource } from "../resources/resource.ts"
import { withWarnings } from "../response/response.ts"
import { metricsResponse, notFoundPage } from "../response/text-response.ts"
import type { RemoteApiService } from "../server/aggregation.ts"
import type { Call } from "../server/call.ts"
import type { CountedRequest } from "../server/request-metrics.ts"
import type { Server } from "../server/server.ts"
import { mayBeLarge } from "../storage/object-size.ts"
import type { ApiRequest, Handler } from "./filter.ts"
import { healthResponse, isHealthPath } from "./health.ts"
import { verbFunction } from "./verb-functions.ts"
import { versionResponse } from "./version.ts"

/** Bytes. Work for a smaller body takes some 20 ms in all. */
const largeBody = 64 * 1024

/** Answers a request that was allowed: a document, an extension's prefix, or a resource. */
export function resourceHandler(server: Server): Handler {
  return (apiRequest) => dispatch(server, apiRequest)
}

function dispatch(server: Server, apiRequest: ApiRequest): TransportResponse | Promise<TransportResponse> {
  const { identity, request, info, verb } = apiRequest
  const remote = info === undefined ? describedRemote(server, request) : server.aggregation.of(info.group, info.version)
  if (remote === undefined) return dispatchOwn(server, apiRequest)
  const isDiscovery = info?.plural === undefined
  return server.aggregation.proxy(remote, { identity, request, isDiscovery, isWatch: verb === "watch" })
}

/** What describes a group version of an extension server comes from that server. */
function describedRemote({ aggregation }: Server, { path }: TransportRequest): RemoteApiService | undefined {
  const described = /^\/openapi\/v3\/apis\/([^/]+)\/([^/]+)\/?$/.exec(path)
  return described === null ? undefined : aggregation.of(described[1]!, described[2]!)
}

function dispatchOwn(server: Server, apiRequest: ApiRequest): TransportResponse | Promise<TransportResponse> {
  const { request, info, verb } = apiRequest
  const extension = server.extensions.find(({ prefix }) => request.path === prefix || request.path.startsWith(`${prefix}/`))
  // Discovery describes every group here, also one that an extension serves. None of these paths has the form of a resource's.
  const fixed = info?.plural === undefined ? fixedResponse(server, request) : undefined
  if (fixed) return fixed
  if (extension) return extension.transport(request)
  if (info === undefined || verb === undefined) return notFoundPage()
  const { registry } = server
  const resource = info.plural === undefined ? undefined : registry.resource(info.group, info.version, info.plural)
  // Behind the groups that are there without a definition nothing answers but with a page.
  if (resource === undefined ? !registry.hasBuiltInGroup(info.group) : isCustom(resource) && isOutOfScope(resource, info, verb))
    return notFoundPage()
  if (resource === undefined) throw noSuchResource()
  const counting = { verb, resource, subresource: info.subresource ?? "" }
  return counted(server, counting, () => serveResource(server, apiRequest, { info, verb, resource }))
}

function isOutOfScope({ descriptor }: Resource, { namespace }: RequestInfo, verb: ApiVerb): boolean {
  if (namespace === undefined) return descriptor.namespaced && verb !== "list" && verb !== "watch"
  return !descriptor.namespaced
}

async function serveResource(
  server: Server,
  { identity, request }: ApiRequest,
  { info, verb, resource }: { readonly info: RequestInfo; readonly verb: ApiVerb; readonly resource: Resource },
): Promise<TransportResponse> {
  const facts = { ...factsOf(request, info, verb), warnings: new Set(resource.deprecations) }
  try {
    const {
      value,
      contentType,
      findStrict,
      literals,
      length = 0,
    } = isProxied(info) ? unread : await bodyOf(server, request, resource, facts)
    const loading = request.verb === "GET" || isProxied(info) ? undefined : resource.load?.(server.clock, value)
    if (loading !== undefined) await loading
    const large = mayBeLarge(request.verb, contentType, length)
    const stages = server.turns.stages(length >= largeBody, request.signal)
    const call: Call = { server, identity, resource, ...facts, body: value, contentType, mayBeLarge: large, findStrict, literals, stages }
    const serve = verbFunction(call)
    if (length < largeBody) return await serve(call)
    await stages.pause()
    const response = await serve(call)
    await stages.pause()
    return response
  } catch (error) {
    throw withWarnings(error, facts.warnings)
  }
}

function fixedResponse(server: Server, request: TransportRequest): TransportResponse | Promise<TransportResponse> | undefined {
  if (isHealthPath(request.path)) return healthResponse(server, request)
  return versionResponse(request) ?? metricsResponse(server, request) ?? server.documents(request)
}

/** What is proxied is for another server: its body, its options and the types that it accepts are not for this one. */
function isProxied({ group, subresource }: RequestInfo): boolean {
  return group === "" && subresource === "proxy"
}

const unread: Decoded = { value: undefined, contentType: "" }

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

type Facts = Omit<
  Call,
  "server" | "identity" | "resource" | "body" | "contentType" | "mayBeLarge" | "findStrict" | "literals" | "stages" | "warnings"
>

function factsOf(request: TransportRequest, info: RequestInfo, verb: ApiVerb): Facts {
  const proxied = isProxied(info)
  const writeQuery = writeQueryOf(request)
  if (!proxied) checkWriteOptions(writeQuery, request.verb, contentTypeOf(request))
  return {
    verb,
    namespace: info.namespace,
    name: info.name ?? "",
    subresource: info.subresource ?? "",
    rest: info.rest,
    query: request.query,
    headers: request.headers,
    sent: request,
    upgrade: request.upgrade,
    signal: request.signal,
    wanted: proxied ? wantedOf({}, {}) : wantedOf(request.headers, request.query),
    dryRun: isDryRun(writeQuery, request.verb),
  }
}
