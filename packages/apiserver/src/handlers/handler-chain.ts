import { type Status, StatusError, statusOf } from "@pilothouse/api"
import { messageOf, PilothouseError, type TransportRequest, type TransportResponse, valueBody } from "@pilothouse/seams"
import type { Identity } from "../authentication/identity.ts"
import { authorize } from "../authorization/authorize.ts"
import { attributesOf } from "../authorization/request-attributes.ts"
import { impersonate } from "../impersonation/impersonate.ts"
import { requestedUser, withoutImpersonation } from "../impersonation/requested-user.ts"
import { flag } from "../request/list-options.ts"
import { checkPathLength } from "../request/path-limit.ts"
import { type ApiVerb, type RequestInfo, requestInfoOf } from "../request/request-info.ts"
import { warningsBefore } from "../response/response.ts"
import type { Serve } from "../server/call.ts"
import type { HeadDecision, RequestHead } from "../server/edge-transport.ts"
import type { Server } from "../server/server.ts"
import type { ApiRequest, Filter, Handler } from "./filter.ts"
import { resourceHandler } from "./handler.ts"

/** What answers every request of a server. */
export interface HandlerChain {
  readonly serve: Serve
  /** Runs the filters alone, for a request whose body is not read yet. */
  authorize(identity: Identity, head: RequestHead): HeadDecision | Promise<HeadDecision>
}

/** Returns the chain of a server. Filters stand in upstream's order, outermost first; whatever goes wrong is an answer too. */
export function handlerChain(server: Server): HandlerChain {
  const filters: readonly Filter[] = [withImpersonation(server), withAuthorization(server)]
  const inFilters = <Result>(handler: Handler<Result>) => filters.reduceRight((next, filter) => filter(next), handler)
  const handler = resourceHandler(server)
  const [filtered, filter] = [inFilters(handler), inFilters((asked) => asked)]
  const answer = async (request: TransportRequest, work: () => ReturnType<Handler>): Promise<TransportResponse> => {
    try {
      return await work()
    } catch (error) {
      return failure(server, request, error)
    }
  }
  return {
    serve: (identity, request) => answer(request, () => filtered(apiRequest(identity, request))),
    authorize(identity, head) {
      const allowed = (asked: ApiRequest): HeadDecision => ({
        transport: (request) => answer(request, () => handler({ ...asked, request: { ...request, headers: asked.request.headers } })),
      })
      const refused = (error: unknown): HeadDecision => ({ refusal: failure(server, head, error) })
      try {
        const asked = filter(apiRequest(identity, head))
        return asked instanceof Promise ? asked.then(allowed, refused) : allowed(asked)
      } catch (error) {
        return refused(error)
      }
    },
  }
}

function apiRequest(identity: Identity, request: TransportRequest): ApiRequest {
  checkPathLength(request.path)
  const info = requestInfoOf(request.path)
  const verb = info && verbOf(request, info)
  return { identity, request, info, verb, attributes: attributesOf(request, info, verb) }
}

function withImpersonation(server: Server): Filter {
  return (next) => (asked) => {
    const { identity: requestor, request, attributes } = asked
    const wanted = requestedUser(request.headers)
    if (wanted === undefined) return next(asked)
    return impersonate(server.authorizer, { requestor, wanted, what: attributes }).then((identity) =>
      next({ ...asked, identity, request: { ...request, headers: withoutImpersonation(request.headers) } }),
    )
  }
}

function withAuthorization(server: Server): Filter {
  return (next) => (asked) => {
    const pending = authorize(server.authorizer, asked.identity, asked.attributes)
    return pending === undefined ? next(asked) : pending.then(() => next(asked))
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
  // A storage that takes no writes, and a time that is over, are logged where they are noticed. A client that has gone, and a server that stops, are no faults.
  if (!(error instanceof StatusError) && code === 500 && !isAbort(error)) {
    server.log.error("a request failed in a way it should not", { verb: request.verb, path: request.path, error: messageOf(error) })
  }
  const wait = status.details?.retryAfterSeconds
  const headers = {
    "content-type": "application/json",
    ...(wait !== undefined && code === 429 && { "retry-after": String(wait) }),
    ...warningsBefore(error),
  }
  return { status: code, headers, body: valueBody(status) }
}

function isAbort(error: unknown): boolean {
  return error instanceof PilothouseError && error.code === "ABORTED"
}

/** What a storage says of a write that failed names files of this machine: that is for its log. */
function withoutPaths({ storage }: Server, error: unknown): Partial<Status> | undefined {
  if (!(error instanceof PilothouseError) || error.code !== "STORAGE_FAILED") return undefined
  const reason = storage.lastRefusal?.reason ?? "the write was not taken"
  return { message: `${reason}: reads go on, and nothing that was acknowledged is lost; the log of the server has more` }
}
