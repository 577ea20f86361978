import { controllerOf, controllerRef, type Descriptor, type Int64, type KubeObject, keyOf, type Selector } from "@pilothouse/api"
import { type ControllerRevision, controllerRevisions } from "@pilothouse/api/apps/v1"
import type { PodTemplateSpec } from "@pilothouse/api/core/v1"
import { byController, type Reader, type Watch, watch } from "@pilothouse/runtime"
import { orphansByLabel, orphansMatching } from "../shared/orphan-index.ts"
import { matchingSelectors, type SelectorIndex } from "../shared/selector-index.ts"
import { type RevisionData, revisionData, revisionHash, revisionName, sameData } from "./revision-data.ts"

const revisionsByController = byController(controllerRevisions)
const orphanRevisions = orphansByLabel(controllerRevisions)

export const revisionIndexes = [revisionsByController, orphanRevisions]

/** Enqueues the owners that may adopt a revision without a controller. */
export function orphanRevisionWatch<T extends KubeObject>(owners: SelectorIndex<T>): Watch {
  return watch(controllerRevisions, "an orphaned revision matches", (revision, read) =>
    controllerOf(revision) === undefined ? matchingSelectors(read, owners, revision).map(keyOf) : [],
  )
}

/** Revisions that are the owner's, or may become so. */
export function candidateRevisions(read: Reader, owner: KubeObject, selector: Selector): readonly ControllerRevision[] {
  const orphans = orphansMatching(read, orphanRevisions, owner.metadata.namespace ?? "", selector)
  return [...read.byIndex(revisionsByController, owner.metadata.uid ?? ""), ...orphans]
}

/** The revision that an owner's present template would have. */
export interface Proposal {
  readonly data: RevisionData
  readonly hash: string
  readonly name: string
  /** How often the name was taken by another template. */
  readonly collisionCount: number
  /** The revision that has this name and the same data, whatever owns it. */
  readonly existing?: ControllerRevision
}

/** Increments the collision count while the name is taken by other data. A name that only the server knows to be taken is refused there, and found in the next reconcile. */
export function proposeRevision(read: Reader, owner: KubeObject, template: PodTemplateSpec, collisions: number): Proposal {
  const data = revisionData(template)
  for (let collisionCount = collisions; ; collisionCount++) {
    const hash = revisionHash(data, collisionCount)
    const name = revisionName(owner.metadata.name ?? "", hash)
    const existing = read.get(controllerRevisions, `${owner.metadata.namespace}/${name}`)
    if (existing === undefined || sameData(existing.data, data)) return { data, hash, name, collisionCount, existing }
  }
}

/** The owner's annotations come along: `kubectl rollout history` shows the change cause from there. */
export function newRevision(
  owner: KubeObject,
  kind: Descriptor,
  { name, data }: Proposal,
  labels: Readonly<Record<string, string>>,
  revision: Int64,
): ControllerRevision {
  const { namespace, annotations } = owner.metadata
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: { name, namespace, labels, annotations, ownerReferences: [controllerRef(owner, kind)] },
    data,
    revision,
  }
}
