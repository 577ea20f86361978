import type { NodeView } from "../cache/node-state.ts"
import type { Observed } from "../observe.ts"
import { diskConflicts } from "./disk-conflicts.ts"
import { hostPorts } from "./host-ports.ts"
import { nodeAffinity } from "./node-affinity.ts"
import { podAffinity } from "./pod-affinity.ts"
import { processPorts } from "./process-ports.ts"
import { readWriteOncePod } from "./read-write-once-pod.ts"
import { resources } from "./resources.ts"
import { taints } from "./taints.ts"
import { topologySpread } from "./topology-spread.ts"
import { unschedulable } from "./unschedulable.ts"
import { volumeBinding } from "./volume-binding.ts"
import { volumeLimits } from "./volume-limits.ts"
import { volumeZone } from "./volume-zone.ts"

/** Why a pod cannot go to a node, in kube-scheduler's words. */
export interface Refusal {
  readonly reasons: readonly string[]
  /** Whether the node might take the pod if others left it. */
  readonly curable: boolean
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
} satisfies Record<string, Filter>

export type FilterName = keyof typeof filters

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

export function whyNot(checks: readonly NamedCheck[], node: NodeView): NamedRefusal | undefined {
  for (const { name, check } of checks) {
    const refusal = check(node)
    if (refusal !== undefined) return { ...refusal, by: name }
  }
  return undefined
}
