import type { HeaderMap, Query, TransportRequest, TransportResponse, Upgrade } from "@pilothouse/seams"
import type { Identity } from "../authentication/identity.ts"
import type { NumberLiterals } from "../body/number-literals.ts"
import type { FindStrict } from "../body/strict-findings.ts"
import type { Wanted } from "../request/negotiation.ts"
import type { ApiVerb } from "../request/request-info.ts"
import type { Stages } from "../request/turns.ts"
import type { Resource } from "../resources/resource.ts"
import type { Server } from "./server.ts"

/** One request of a resource, as far as it is understood before its verb begins. */
export interface Call {
  readonly server: Server
  readonly identity: Identity
  readonly verb: ApiVerb
  readonly resource: Resource
  /** Undefined: cluster-scoped, or all namespaces. */
  readonly namespace: string | undefined
  /** "" for a collection. */
  readonly name: string
  /** "" for the object itself. */
  readonly subresource: string
  readonly rest: readonly string[]
  readonly query: Query
  readonly headers: HeaderMap
  /** The request as it came: what a proxy passes on. */
  readonly sent: TransportRequest
  /** The connection, where the client requests another protocol on it. */
  readonly upgrade?: Upgrade | undefined
  /** What the body says; not checked yet, and not ours. */
  readonly body: unknown
  /** Finds what the body's text has that it should not have. */
  readonly findStrict?: FindStrict | undefined
  /** How numbers of the body were written. */
  readonly literals?: NumberLiterals | undefined
  /** Of the body, without parameters. */
  readonly contentType: string
  /** The object that the body makes may be larger than one may be. */
  readonly mayBeLarge: boolean
  /** Divides long work for this request into turns of the event loop. */
  readonly stages: Stages
  readonly signal: AbortSignal | undefined
  readonly wanted: Wanted
  /** Everything but the write. */
  readonly dryRun: boolean
  /** For the Warning headers of the answer. */
  readonly warnings: Set<string>
}

/** Answers a request of a user; every failure is an answer too. */
export type Serve = (identity: Identity, request: TransportRequest) => Promise<TransportResponse>
