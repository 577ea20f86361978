import type { Descriptor, Selector } from "@pilothouse/api"
import type { ReplicaSet } from "@pilothouse/api/apps/v1"
import type { ReplicationController } from "@pilothouse/api/core/v1"
import type { SelectorIndex } from "../shared/selector-index.ts"

/** What asks for a number of pods. */
export type Replicated = ReplicaSet | ReplicationController

/** What sets ReplicaSets and ReplicationControllers apart. All the rest is one engine. */
export interface ReplicaKind<T extends Replicated = Replicated> {
  readonly of: Descriptor<T>
  /** Finds the owners that may want an orphan, and says which pods an owner means. */
  readonly bySelector: SelectorIndex<T>
  /** Whether the status counts pods that are on their way out. */
  readonly countsTerminating: boolean
  /** Whether its owner may have several of them, whose pods then count together when one has to go: a Deployment's ReplicaSets. */
  readonly hasSiblings: boolean
}

export function wantedPods(owner: Replicated): number {
  return owner.spec?.replicas ?? 1
}

export function minReadySeconds(owner: Replicated): number {
  return owner.spec?.minReadySeconds ?? 0
}

export function selectorFor<T extends Replicated>(kind: ReplicaKind<T>, owner: T): Selector {
  return kind.bySelector.selectorOf(owner)
}
