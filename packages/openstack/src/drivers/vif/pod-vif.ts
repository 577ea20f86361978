import type { Port } from "../../clients/neutron/types.ts"

/** A port that is wanted, for a pod or as a spare one. */
export interface PortRequest {
  /** Undefined: a spare one. */
  readonly pod?: PodName
  /** The node that the pod runs on: its name, and its address on the network of the nodes. */
  readonly node: string
  readonly hostIp: string
  readonly project: string
  readonly network: string
  readonly subnets: readonly string[]
  readonly groups: readonly string[]
}

export interface PodName {
  readonly uid: string
  readonly namespace: string
  readonly name: string
}

/** A port, and the VLAN of its trunk where it has one. */
export interface PodPort {
  readonly port: Port
  readonly vlanId?: number
  /** What hostOf says of the pods that can have it; undefined where nobody knows. */
  readonly host?: string
}

/** How kuryr names ports that no pod has yet. */
export const spareName = "available-port"

export const podPortOwner = "compute:kuryr"
export const subportOwner = "trunk:subport"

/**
 * How pods are wired: what a port is like, and what has to be done beside making it.
 * Everything is safe to repeat. Ports carry the cluster and, once a pod has them, the pod's UID.
 */
export interface PodVifDriver {
  /**
   * New ports, in the order of the wishes: all of them, or none, or, with PartlyMade, those of the nodes that did not refuse. As long as the cloud is at it: whoever cannot wait so long goes
   * away, and it goes on.
   */
  create(requests: readonly PortRequest[], signal: AbortSignal): Promise<readonly PodPort[]>
  /** Does for a port that was found what may be missing: whoever made it may have been stopped half-way. Left out: one call makes all of it. */
  complete?(found: PodPort, request: PortRequest, signal: AbortSignal): Promise<PodPort>
  /** The ports of one pod: what is left when an answer was lost. */
  find(pod: PodName, signal: AbortSignal): Promise<readonly PodPort[]>
  /** Every port that may be one of these pods', kuryr's too. */
  list(signal: AbortSignal): Promise<readonly PodPort[]>
  /** Writes a pod's name on a spare port. */
  assign(port: PodPort, request: PortRequest, signal: AbortSignal): Promise<PodPort>
  /** Writes on a port that a pod uses whose it is: kuryr made it, or nobody came to it. Nothing else of it changes. */
  mark(port: PodPort, owner: string, signal: AbortSignal): Promise<PodPort>
  /** Makes a port a spare one again. */
  recycle(port: PodPort, request: PortRequest, signal: AbortSignal): Promise<PodPort>
  /** Succeeds where they are gone. */
  remove(ports: readonly PodPort[], signal: AbortSignal): Promise<void>
  /** Why no pod can work with the port, whatever time passes: it has to go, and another to be made. Left out: every port is of use. */
  unusableReason?(port: PodPort): string | undefined
  /** Where a port has to be for a pod: ports of one host are no good for another. */
  hostFor(request: Pick<PortRequest, "node" | "hostIp">): string
  /** True: traffic flows as soon as the port exists, whatever its status says. */
  readonly activeAtOnce: boolean
}
