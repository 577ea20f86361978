import { fieldError, invalid, type Status, StatusError, statusOf } from "@pilothouse/api"
import { messageOf, type Query, queryValue, type TransportRequest, type TransportResponse, type Verb, valueBody } from "@pilothouse/seams"
import { decodedBody } from "./body-value.ts"
import type { ApiVerb, Call } from "./call.ts"
import { healthResponse } from "./health.ts"
import type { Identity } from "./identity.ts"
import { flag } from "./list-options.ts"
import { wantedOf } from "./negotiation.ts"
import { noSuchResource } from "./no-such-resource.ts"
import { type RequestInfo, requestInfoOf } from "./request-info.ts"
import type { Server } from "./server.ts"
import { notFoundPage } from "./text-response.ts"
import { verbFunction } from "./verbs/index.ts"
import { versionResponse } from "./version.ts"

/** Answers one request. Whatever goes wrong is an answer too. */
export async function handle(server: Server, identity: Identity, request: TransportRequest): Promise<TransportResponse> {
  try {
    return await route(server, identity, request)
  } catch (error) {
    return failure(server, request, error)
  }
}

async function route(server: Server, identity: Identity, request: TransportRequest): Promise<TransportResponse> {
  const extension = server.extensions.find(({ prefix }) => request.path === prefix || request.path.startsWith(`${prefix}/`))
  if (extension) return extension.transport(request)
  const fixed = healthResponse(request) ?? versionResponse(request) ?? server.documents(request)
  if (fixed) return fixed
  const info = requestInfoOf(request.path)
  if (info?.plural === undefined || !server.registry.hasGroupVersion(info.group, info.version)) return notFoundPage()
  const resource = server.registry.resource(info.group, info.version, info.plural)
  if (resource === undefined) throw noSuchResource()
  const decoded = decodedBody(request)
  const body = decoded instanceof Promise ? await decoded : decoded
  return serve({ server, identity, resource, ...factsOf(request, info), body: body.value, contentType: body.contentType })
}

async function serve(call: Call): Promise<TransportResponse> {
  const { server, resource } = call
  const started = server.clock.elapsed()
  const { group, version, plural } = resource.descriptor
  const labels = { verb: call.verb.toUpperCase(), group, version, resource: plural, subresource: call.subresource }
  const count = (code: number) => {
    server.metrics.requests.add(1, { ...labels, code: String(code) })
    if (call.verb !== "watch")
      server.metrics.duration.observe((server.clock.elapsed() - started) / 1000, { verb: labels.verb, resource: plural })
  }
  try {
    const response = await verbFunction(call)(call)
    count(response.status)
    return response
  } catch (error) {
    count(statusOf(error).code ?? 500)
    throw error
  }
}

type Facts = Omit<Call, "server" | "identity" | "resource" | "body" | "contentType">

function factsOf(request: TransportRequest, info: RequestInfo): Facts {
  return {
    verb: verbOf(request, info),
    namespace: info.namespace,
    name: info.name ?? "",
    subresource: info.subresource ?? "",
    rest: info.rest,
    query: request.query,
    headers: request.headers,
    signal: request.signal,
    wanted: wantedOf(request.headers, request.query),
    dryRun: dryRunOf(request.query, request.verb),
    warnings: new Set(),
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

const optionsKind: Readonly<Record<Verb, string>> = {
  GET: "GetOptions",
  POST: "CreateOptions",
  PUT: "UpdateOptions",
  PATCH: "PatchOptions",
  DELETE: "DeleteOptions",
}

function dryRunOf(query: Query, verb: Verb): boolean {
  const value = queryValue(query, "dryRun")
  if (verb === "GET" || value === undefined || value === "") return false
  if (value === "All") return true
  const causes = [fieldError.notSupported("dryRun", [value], ["All"])]
  throw invalid({ group: "meta.k8s.io", kind: optionsKind[verb] }, "", causes)
}

function failure(server: Server, request: TransportRequest, error: unknown): TransportResponse {
  const status: Status = statusOf(error)
  const code = status.code ?? 500
  if (!(error instanceof StatusError) && code >= 500) {
    server.log.error("a request failed in a way it should not", { verb: request.verb, path: request.path, error: messageOf(error) })
  }
  const wait = status.details?.retryAfterSeconds
  const headers = { "content-type": "application/json", ...(wait !== undefined && code === 429 && { "retry-after": String(wait) }) }
  return { status: code, headers, body: valueBody(status) }
}
