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
  /** The result of hostFor() for pods that can use the port; undefined where it is unknown. */
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
   * Creates ports, in the order of the requests: all of them, or none, or, with PartialCreateError, those of the nodes that did not refuse. The call
   * lasts as long as the cloud needs: a caller that cannot wait so long stops waiting, and the call goes on.
   */
  create(requests: readonly PortRequest[], signal: AbortSignal): Promise<readonly PodPort[]>
  /** Completes a port that was found: its creator may have been stopped half-way. Left out: one call creates all of a port. */
  complete?(found: PodPort, request: PortRequest, signal: AbortSignal): Promise<PodPort>
  /** The ports of one pod: what is left when an answer was lost. */
  find(pod: PodName, signal: AbortSignal): Promise<readonly PodPort[]>
  /** Every port that may be one of these pods', kuryr's too. */
  list(signal: AbortSignal): Promise<readonly PodPort[]>
  /** Writes a pod's name on a spare port. */
  assign(port: PodPort, request: PortRequest, signal: AbortSignal): Promise<PodPort>
  /** Marks a port in use with its owner: kuryr created it, or the mark was not written yet. Nothing else of it changes. */
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
