import { deepEqual } from "@pilothouse/api"
import type { Deployment, ReplicaSet } from "@pilothouse/api/apps/v1"
import type { PlanBuilder } from "@pilothouse/runtime"
import { type Annotations, desiredAnnotation, maxAnnotation, objectAnnotations } from "./annotations.ts"
import { desiredReplicas, maxReplicas } from "./fenceposts.ts"

/** A change of one ReplicaSet. Several of the same one are written together. */
export interface Edit {
  readonly set: ReplicaSet
  readonly replicas?: number
  readonly minReadySeconds?: number
  readonly annotations?: Annotations
  readonly reason: string
}

/** What the strategies come to. */
export interface Move {
  readonly edits: readonly Edit[]
  /** The ReplicaSet of the present template is missing: make it, with so many pods. */
  readonly create?: number
  readonly waitFor?: string
}

/** A new size, and for how many pods in all it was chosen: that is how a later change of the number is noticed. */
export function resize(deployment: Deployment, set: ReplicaSet, replicas: number, reason: string): Edit {
  return { set, replicas, annotations: replicasAnnotations(deployment), reason }
}

export function replicasAnnotations(deployment: Deployment): Annotations {
  return { [desiredAnnotation]: String(desiredReplicas(deployment)), [maxAnnotation]: String(maxReplicas(deployment)) }
}

/** Writes each ReplicaSet once, and only where something changes. */
export function writeEdits(built: PlanBuilder, edits: readonly Edit[]): void {
  for (const set of new Set(edits.map((edit) => edit.set))) {
    const ofSet = edits.filter((edit) => edit.set === set)
    const edited = ofSet.reduce(applied, set)
    if (!deepEqual(edited, set)) built.update(edited, ofSet.map((edit) => edit.reason).join("; "))
  }
}

function applied(set: ReplicaSet, { replicas, minReadySeconds, annotations }: Edit): ReplicaSet {
  const size = replicas === undefined ? {} : { replicas }
  const wait = minReadySeconds === undefined ? {} : { minReadySeconds }
  return {
    ...set,
    metadata: { ...set.metadata, annotations: { ...objectAnnotations(set), ...annotations } },
    spec: { ...set.spec!, ...size, ...wait },
  }
}
