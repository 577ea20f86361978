import type { TransportRequest, TransportResponse } from "@pilothouse/seams"
import type { Identity } from "../authentication/identity.ts"
import type { Attributes } from "../authorization/authorizer.ts"
import type { ApiVerb, RequestInfo } from "../request/request-info.ts"

/** A request whose client is known, with what its path says. */
export interface ApiRequest {
  /** The client, or the user that it impersonates. */
  readonly identity: Identity
  readonly request: TransportRequest
  /** Undefined for a path that is no API's. */
  readonly info: RequestInfo | undefined
  readonly verb: ApiVerb | undefined
  /** What the request does, in the terms of authorization rules. */
  readonly attributes: Attributes
}

export type Handler<Result = TransportResponse> = (request: ApiRequest) => Result | Promise<Result>

/** One layer around a handler: it passes the request on, perhaps changed, or refuses it by throwing a StatusError. It reads no body. */
export type Filter = <Result>(next: Handler<Result>) => Handler<Result>
