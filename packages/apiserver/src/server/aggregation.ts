import type { APIService } from "@pilothouse/api/apiregistration/v1"
import type { TransportRequest, TransportResponse } from "@pilothouse/seams"
import type { Identity } from "../authentication/identity.ts"
import type { RemoteGroupVersion } from "../discovery/groups.ts"

/** An APIService with a Service behind it. */
export interface RemoteApiService extends APIService {
  readonly spec: NonNullable<APIService["spec"]> & { readonly service: NonNullable<NonNullable<APIService["spec"]>["service"]> }
}

/** A request for a group version that an extension server answers. */
export interface ProxiedRequest {
  readonly identity: Identity
  readonly request: TransportRequest
  /** It describes the group version, and is of no resource. */
  readonly isDiscovery: boolean
  readonly isWatch: boolean
}

/** What OpenAPI of an extension server says of a group version. */
export interface RemoteOpenApi {
  /** Of its document of OpenAPI v3, on this server too; undefined where there is none. */
  readonly url: string | undefined
  /** Its part of the document of OpenAPI v2; undefined where there is none. */
  readonly swagger:
    | { readonly paths: Readonly<Record<string, unknown>>; readonly definitions: Readonly<Record<string, unknown>> }
    | undefined
}

/** Group versions that extension servers answer for. */
export interface GroupVersionProxies {
  /** Another number whenever `versions` returns something else. */
  readonly generation: number
  /** Begins to check and to read extension servers: the server can be written to. */
  start(serve: (identity: Identity, request: TransportRequest) => Promise<TransportResponse>): void
  /** Undefined where this server answers for the group version itself. */
  of(group: string, version: string): RemoteApiService | undefined
  /** Passes a request on. */
  proxy(remote: RemoteApiService, request: ProxiedRequest): Promise<TransportResponse>
  /** What discovery says of them. */
  versions(): readonly RemoteGroupVersion[]
  /** What OpenAPI says of them, by path: "apis/metrics.k8s.io/v1beta1". */
  openApi(): ReadonlyMap<string, RemoteOpenApi>
}
