import type { NodeView } from "../cache/node-state.ts"
import type { Observed } from "../cache/observe.ts"
import type { FilterName } from "../queue/filter-name.ts"
import { nodeAffinity } from "./node-affinity.ts"
import { hostPorts, processPorts, resources, unschedulable } from "./node-filters.ts"
import { podAffinity } from "./pod-affinity.ts"
import { taints } from "./taints.ts"
import { topologySpread } from "./topology-spread.ts"
import { diskConflicts, readWriteOncePod, volumeBinding, volumeLimits, volumeZone } from "./volume-filters.ts"

/** Why a pod cannot go to a node, in kube-scheduler's words. */
export interface Refusal {
  readonly reasons: readonly string[]
  /** Whether the node might take the pod if others left it. */
  readonly resolvable: boolean
}

/** Asked for each node; undefined: nothing speaks against it. */
export type NodeCheck = (node: NodeView) => Refusal | undefined

/** Prepares the check for one pod; undefined: it is not concerned. Pure. */
export type Filter = (observed: Observed) => NodeCheck | undefined

/** In upstream's order: the first that refuses a node says why. */
export const filters = {
  unschedulable,
  taints,
  nodeAffinity,
  hostPorts,
  processPorts,
  resources,
  diskConflicts,
  readWriteOncePod,
  volumeLimits,
  volumeBinding,
  volumeZone,
  topologySpread,
  podAffinity,
} satisfies Record<FilterName, Filter>

export interface NamedCheck {
  readonly name: FilterName
  readonly check: NodeCheck
}

export function checksFor(observed: Observed): readonly NamedCheck[] {
  const names = Object.keys(filters) as FilterName[]
  return names.flatMap((name) => {
    const check = filters[name](observed)
    return check === undefined ? [] : [{ name, check }]
  })
}

export interface NamedRefusal extends Refusal {
  readonly by: FilterName
}

/** Why each node was refused. */
export type Refusals = ReadonlyMap<NodeView, NamedRefusal>

export function findRefusal(checks: readonly NamedCheck[], node: NodeView): NamedRefusal | undefined {
  for (const { name, check } of checks) {
    const refusal = check(node)
    if (refusal !== undefined) return { ...refusal, by: name }
  }
  return undefined
}
