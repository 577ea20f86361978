import type { Endpoint } from "../model/endpoint.ts"
import type { NetworkGateway } from "../model/network-gateway.ts"
import type { Service, ServicePort } from "../model/service.ts"
import type { Kind } from "../xds/kinds.ts"
import type { Resource } from "../xds/resource.ts"
import type { XdsClient } from "./client.ts"

/** What the name of a cluster stands for. */
export interface Target {
  readonly service: Service
  readonly port: ServicePort
}

/** Names that stand for other services, resolved: `aliasOf` is the service that one stands for in the end, and it has the ports of that. */
export interface AliasSource {
  /** Those that stand for a service; few services have any. */
  of(hostname: string): readonly Service[]
  /** The alias of this name. */
  at(hostname: string): Service | undefined
  /** One of this name that has just gone, leads elsewhere, or is hidden from some now. */
  leavingAt(hostname: string): Service | undefined
  leaving(): Iterable<Service>
}

/** What generators read. */
export interface Source {
  services(): readonly Service[]
  getService(hostname: string): Service | undefined
  endpoints(hostname: string): readonly Endpoint[]
  /** Services that speak HTTP on a port, sorted by hostname. */
  httpServices(port: number): readonly Service[]
  readonly aliases: AliasSource
  networkGateways(): readonly NetworkGateway[]
  /**
   * A cluster whose service, or port, has just gone, or is hidden from some now. It stays for who could see it, for a while and without endpoints, in case
   * it comes back and until no route names it.
   */
  leaving(clusterName: string): Target | undefined
  leavingNames(): Iterable<string>
}

/** Makes resources for one sort of client. Pure but for what it remembers of encoded bytes. */
export interface Generator {
  /** What "*" means for this client. */
  names(kind: Kind, client: XdsClient): Iterable<string>
  render(kind: Kind, name: string, client: XdsClient): Resource | undefined
  /** Clients with equal scopes get equal resources of that name: bytes are shared by it. "" is the scope of all clients. */
  scope(kind: Kind, name: string, client: XdsClient): string
  /** Names whose resources a change of this service can change. */
  affected(service: Service): Readonly<Record<Kind, readonly string[]>>
  /** Names whose resources a change of only its endpoints can change; no listeners where none stand for endpoints. */
  affectedByEndpoints(service: Service): { readonly endpoint: readonly string[]; readonly listener?: readonly string[] }
  /** A cluster that has to be sent its endpoints after it. */
  waitsForEndpoints(cluster: string, client: XdsClient): boolean
}
