import type { Descriptor, KubeObject } from "@pilothouse/api"
import type { Body, HeaderMap, Query, Transport, TransportRequest, TransportResponse, Verb } from "@pilothouse/seams"
import { type RequestInfo, responseObject, responseValue, withType } from "./wire/response.ts"

/** A request in terms of the transport, for what no verb says. */
export interface RawRequest {
  readonly verb: Verb
  readonly path: string
  readonly query?: Query
  readonly headers?: HeaderMap
  readonly body?: Body
  readonly signal?: AbortSignal
  readonly reader?: TransportRequest["reader"]
}

/** A request that is about one resource: what is wrong with the answer can then be said in its words. */
export type ResourceRequest<T extends KubeObject> = RawRequest & { readonly of: Descriptor<T>; readonly name?: string }

/** What the verbs of a client are made of. */
export interface Sender {
  /** The response as it came; only connections fail. */
  send(request: RawRequest): Promise<TransportResponse>
  /** Any value of a successful answer. */
  ask(request: RawRequest & Partial<RequestInfo>): Promise<unknown>
  /** An object of the resource, with its apiVersion and kind. */
  object<T extends KubeObject>(request: ResourceRequest<T>): Promise<T>
  /** An object of another kind: a list, a scale, a status. */
  other<T>(request: RawRequest & Partial<RequestInfo>): Promise<T>
}

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

/** Options as a query: what is undefined is left out. */
export function queryOf(selection: Readonly<Record<string, string | number | boolean | undefined>>): Query {
  const given = Object.entries(selection).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
}
