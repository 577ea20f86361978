import type { CustomOperation } from "@pilothouse/runtime"
import type { FloatingIp } from "../../clients/neutron/types.ts"
import type { DesiredFloatingIp, DesiredListener, DesiredTree, UnmarkedPart } from "./tree.ts"

interface On extends CustomOperation {
  /** The id of the load balancer. */
  readonly balancer: string
}

export interface CreateBalancer extends CustomOperation {
  readonly do: "create-balancer"
  readonly tree: DesiredTree
}

export interface RemoveBalancer extends On {
  readonly do: "remove-balancer"
}

export interface CreateListener extends On {
  readonly do: "create-listener"
  readonly tree: DesiredTree
  readonly listener: DesiredListener
}

export interface RemoveListener extends On {
  readonly do: "remove-listener"
  readonly listener?: string
  readonly pool?: string
}

export interface UpdateListener extends On {
  readonly do: "update-listener"
  readonly listener: string
  readonly allowedCidrs: readonly string[] | null
}

export interface CreatePool extends On {
  readonly do: "create-pool"
  readonly tree: DesiredTree
  readonly desired: DesiredListener
  readonly listener: string
}

export interface UpdatePool extends On {
  readonly do: "update-pool"
  readonly pool: string
  readonly sticky: boolean
  readonly algorithm: string
}

export interface ReplaceMembers extends On {
  readonly do: "replace-members"
  readonly pool: string
  readonly tree: DesiredTree
  readonly desired: DesiredListener
}

export interface SetGroups extends On {
  readonly do: "set-groups"
  readonly port: string
  readonly groups: readonly string[]
}

export interface MarkBalancer extends On {
  readonly do: "mark-balancer"
  /** The UID of the Service. */
  readonly owner: string
  readonly parts: readonly UnmarkedPart[]
}

export interface AttachFloating extends CustomOperation {
  readonly do: "attach-floating-ip"
  readonly port: string
  readonly tree: DesiredTree
  readonly floating: DesiredFloatingIp
}

export interface ReleaseFloating extends CustomOperation {
  readonly do: "release-floating-ip"
  readonly floating: FloatingIp
}

/** The writes to Octavia and Neutron of which a plan for a load balancer consists, one call each. */
export type BalancerOperation =
  | CreateBalancer
  | RemoveBalancer
  | CreateListener
  | RemoveListener
  | UpdateListener
  | CreatePool
  | UpdatePool
  | ReplaceMembers
  | SetGroups
  | MarkBalancer
  | AttachFloating
  | ReleaseFloating
