import type { FloatingIp } from "../../clients/neutron/types.ts"
import type { Listener, LoadBalancer, Member, Pool } from "../../clients/octavia/types.ts"

/** The desired load balancer. Names are kuryr's. */
export interface DesiredTree {
  readonly name: string
  readonly owner: string
  readonly project: string
  readonly ip: string
  readonly subnet: string
  readonly groups: readonly string[]
  readonly algorithm: string
  readonly listeners: readonly DesiredListener[]
  /** Undefined: it is not reached from outside. */
  readonly floating?: DesiredFloatingIp
}

/** A listener as the Service demands it, with the members behind it. */
export interface DesiredListener {
  readonly name: string
  readonly protocol: "TCP" | "UDP" | "SCTP"
  readonly port: number
  /** Undefined: from everywhere. */
  readonly allowedCidrs?: readonly string[]
  /** A client stays with its pod. */
  readonly sticky: boolean
  readonly members: readonly DesiredMember[]
}

export interface DesiredMember {
  readonly name: string
  readonly address: string
  readonly port: number
  readonly subnet: string
}

export interface DesiredFloatingIp {
  readonly network: string
  readonly subnet?: string
  /** The one that the Service asks for. */
  readonly address?: string
}

/** A load balancer as the cloud has it. */
export interface FoundTree {
  readonly balancer: LoadBalancer
  readonly listeners: readonly FoundListener[]
  /** Pools that no listener has. */
  readonly orphanPools: readonly Pool[]
  readonly floating?: FloatingIp
  /** Of its VIP port. */
  readonly groups?: readonly string[]
  /** The parts without an owner mark. */
  readonly unmarked?: readonly UnmarkedPart[]
}

export interface UnmarkedPart {
  readonly kind: "load balancer" | "listener" | "pool" | "floating IP"
  /** As it was found: the rest of its description is kept, except on a floating IP, which is found by its exact description. */
  readonly part: LoadBalancer | Listener | Pool | FloatingIp
}

export interface FoundListener {
  readonly listener: Listener
  readonly pool?: Pool
  readonly members: readonly Member[]
}
