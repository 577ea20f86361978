import type { Descriptor, KubeObject } from "@pilothouse/api"
import type { Body, HeaderMap, Query, Transport, TransportRequest, TransportResponse, Verb } from "@pilothouse/seams"
import { type RequestInfo, responseObject, responseValue, withType } from "./response.ts"

/** A raw request, for what no verb covers. */
export interface RawRequest {
  readonly verb: Verb
  readonly path: string
  readonly query?: Query
  readonly headers?: HeaderMap
  readonly body?: Body
  readonly signal?: AbortSignal
  readonly reader?: TransportRequest["reader"]
}

/** A request about one resource, which errors name. */
export type ResourceRequest<T extends KubeObject> = RawRequest & { readonly of: Descriptor<T>; readonly name?: string }

/** Sends requests for the verbs of a client. */
export interface Sender {
  /** Returns the raw response; throws only for connection failures. */
  send(request: RawRequest): Promise<TransportResponse>
  /** Returns the value of a successful response. */
  ask(request: RawRequest & Partial<RequestInfo>): Promise<unknown>
  /** Returns an object of the resource, with its apiVersion and kind. */
  object<T extends KubeObject>(request: ResourceRequest<T>): Promise<T>
  /** Returns an object of another kind: a list, a scale, a status. */
  other<T>(request: RawRequest & Partial<RequestInfo>): Promise<T>
}

/** Returns a sender over a transport; headers of a request replace the default ones. */
export function sender(transport: Transport, userAgent: string): Sender {
  const headers: HeaderMap = { accept: "application/json", "user-agent": userAgent }
  const send = ({ verb, path, query = {}, body, signal, reader, ...request }: RawRequest): Promise<TransportResponse> =>
    transport({ verb, path, query, body, signal, reader, headers: { ...headers, ...request.headers } })
  return {
    send,
    ask: async (request) => responseValue(await send(request), request),
    object: async <T extends KubeObject>(request: ResourceRequest<T>) =>
      withType(request.of, responseObject(await send(request), request) as T),
    other: async <T>(request: RawRequest & Partial<RequestInfo>) => responseObject(await send(request), request) as T,
  }
}

/** Returns options as a query, without undefined ones. */
export function queryOf(selection: Readonly<Record<string, string | number | boolean | undefined>>): Query {
  const given = Object.entries(selection).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
}
