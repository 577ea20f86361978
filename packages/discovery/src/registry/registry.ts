import type { Endpoint, Place } from "../model/endpoint.ts"
import type { NetworkGateway } from "../model/network-gateway.ts"
import type { Service } from "../model/service.ts"

/** Who offers what, where, healthy or not. Answers from indexes; what is unknown is empty, never an error. */
export interface Registry {
  /** False until everything that was there at the start has been read. Subscribers are not notified before. */
  readonly synced: boolean
  /** Sorted by hostname. */
  services(): readonly Service[]
  getService(hostname: string): Service | undefined
  /** All endpoints of a service, of every port and cluster. The same array as long as none of them changes. */
  endpoints(hostname: string): readonly Endpoint[]
  /** Where endpoints of other networks are reached. A change of them is announced by `configUpdate`. */
  networkGateways(): readonly NetworkGateway[]
  /** Where the pod "namespace/name" runs, in this cluster; "" is any. Undefined where it is not known. */
  placeOf(pod: string, cluster: string): Place | undefined
  /** Notifies of every change from now on, after the registry itself answers with it. */
  subscribe(subscriber: RegistrySubscriber): Disposable
}

/** What became of the endpoints of a service in one shard. */
export interface EndpointsUpdate {
  /** At least one is gone or not healthy any more. */
  readonly removed: boolean
  /** All that the shard has now; a list of ten thousand is made only when it is called. */
  endpoints(): readonly Endpoint[]
}

/** The notifications of a subscriber; each call is synchronous and must not throw. */
export interface RegistrySubscriber {
  /** A service came, changed in what is not its endpoints, or went. */
  serviceUpdate(hostname: string, change: "added" | "updated" | "deleted"): void
  /** Endpoints of one shard (a cluster) changed. */
  endpointsUpdate(shard: string, hostname: string, update: EndpointsUpdate): void
  /** A workload at this address, the pod "namespace/name", came, changed its labels, is elsewhere by the labels of its node, or went. */
  workloadUpdate(address: string, pod: string): void
  /** Something that concerns every service: networks, settings. */
  configUpdate(reason: string): void
}
