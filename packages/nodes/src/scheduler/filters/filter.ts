import type { NodeView } from "../cache/node-state.ts"
import type { Observed } from "../cache/observe.ts"
import { defaultProfile } from "../profiles/profile.ts"
import type { FilterName } from "../queue/filter-name.ts"
import { nodeAffinity } from "./node-affinity.ts"
import { dynamicResources, hostPorts, processPorts, resources, unschedulable } from "./node-filters.ts"
import { podAffinity } from "./pod-affinity.ts"
import { taints } from "./taints.ts"
import { topologySpread } from "./topology-spread.ts"
import { diskConflicts, readWriteOncePod, volumeBinding, volumeLimits, volumeZone } from "./volume-filters.ts"

/** Why a node does not fit, in kube-scheduler's words. */
export interface Refusal {
  readonly reasons: readonly string[]
  /** Whether the node might fit if pods were evicted from it. */
  readonly resolvable: boolean
}

/** Runs for each node; undefined: the node fits. */
export type NodeCheck = (node: NodeView) => Refusal | undefined

/** Prepares the check for one pod; undefined: the filter does not concern it. Pure. */
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
  dynamicResources,
} satisfies Record<FilterName, Filter>

/** A prepared check with the name of its filter. */
export interface NamedCheck {
  readonly name: FilterName
  readonly check: NodeCheck
}

/** Prepares the checks that concern the pod, in upstream's order. */
export function checksFor(observed: Observed): readonly NamedCheck[] {
  const { disabledFilters } = observed.profile ?? defaultProfile
  const names = (Object.keys(filters) as FilterName[]).filter((name) => !disabledFilters.has(name))
  return names.flatMap((name) => {
    const check = filters[name](observed)
    return check === undefined ? [] : [{ name, check }]
  })
}

/** A refusal with the name of the filter that it comes from. */
export interface NamedRefusal extends Refusal {
  readonly by: FilterName
}

/** Why each node was refused. */
export type Refusals = ReadonlyMap<NodeView, NamedRefusal>

/** Returns the refusal of the first check that refuses the node; undefined: it fits. */
export function findRefusal(checks: readonly NamedCheck[], node: NodeView): NamedRefusal | undefined {
  for (const { name, check } of checks) {
    const refusal = check(node)
    if (refusal !== undefined) return { ...refusal, by: name }
  }
  return undefined
}
