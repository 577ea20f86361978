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
}
