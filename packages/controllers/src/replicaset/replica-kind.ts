import type { Descriptor, Selector } from "@pilothouse/api"
import type { ReplicaSet } from "@pilothouse/api/apps/v1"
import type { ReplicationController } from "@pilothouse/api/core/v1"
import type { SelectorIndex } from "../shared/selector-index.ts"

/** An object that specifies a number of pods. */
export type Replicated = ReplicaSet | ReplicationController

/** The differences between ReplicaSets and ReplicationControllers. */
export interface ReplicaKind<T extends Replicated = Replicated> {
  readonly of: Descriptor<T>
  /** Finds the owners that may adopt an orphan, and returns the selector of an owner. */
  readonly bySelector: SelectorIndex<T>
  /** Whether the status counts terminating pods. */
  readonly countsTerminating: boolean
  /** Whether its owner may have several of them, whose pods are ranked together for deletion: a Deployment's ReplicaSets. */
  readonly hasSiblings: boolean
}

export function desiredReplicas(owner: Replicated): number {
  return owner.spec?.replicas ?? 1
}

export function minReadySeconds(owner: Replicated): number {
  return owner.spec?.minReadySeconds ?? 0
}

export function selectorFor<T extends Replicated>(kind: ReplicaKind<T>, owner: T): Selector {
  return kind.bySelector.selectorOf(owner)
}
