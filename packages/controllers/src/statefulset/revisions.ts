import { type ControllerRevision, type StatefulSet, statefulSets } from "@pilothouse/api/apps/v1"
import type { Pod, PodTemplateSpec } from "@pilothouse/api/core/v1"
import type { PlanBuilder } from "@pilothouse/runtime"
import { deleteBeyondLimit, nextRevision, objectName, revisionsWith, sortedRevisions } from "../controller-revisions/history.ts"
import { newRevision } from "../controller-revisions/observe-revisions.ts"
import { templateIn } from "../controller-revisions/revision-data.ts"
import type { Observed } from "./observe.ts"
import { podRevision } from "./pod-state.ts"

const hashLabel = "controller.kubernetes.io/hash"

/** A template and the name of its revision. */
export interface Version {
  readonly revision: string
  readonly template: PodTemplateSpec
}

export interface Versions {
  /** The version of pods below the partition. */
  readonly current: Version
  /** The version of the current template. */
  readonly update: Version
}

/** Returns the current and the update version. Of several equal revisions the newest counts. */
export function setVersions({ set, revisions, proposal }: Observed): Versions {
  const template = set.spec?.template ?? {}
  const same = equalRevision(revisions, proposal.data) ?? proposal.existing
  const update = { revision: same === undefined ? proposal.name : objectName(same), template }
  const known = revisions.find((revision) => objectName(revision) === set.status?.currentRevision)
  const current = known === undefined ? update : { revision: objectName(known), template: templateIn(known.data) ?? template }
  return { current, update }
}

/** Creates the revision of the current template, or makes it the newest again after a rollback. */
export function keepHistory(built: PlanBuilder, { set, revisions, proposal }: Observed): void {
  const number = nextRevision(revisions)
  const same = equalRevision(revisions, proposal.data)
  if (same === undefined && proposal.existing === undefined) {
    const labels = { ...set.spec?.template?.metadata?.labels, [hashLabel]: proposal.hash }
    built.create(newRevision(set, statefulSets, proposal, labels, number), "the template has no revision yet")
  } else if (same !== undefined && same !== sortedRevisions(revisions).at(-1)) {
    built.update({ ...same, revision: number }, "its template is the present one again")
  }
}

function equalRevision(revisions: readonly ControllerRevision[], data: unknown): ControllerRevision | undefined {
  return sortedRevisions(revisionsWith(revisions, data)).at(-1)
}

/** Deletes revisions beyond the limit that neither the set nor a pod uses. */
export function cleanUpHistory(built: PlanBuilder, { set, pods, revisions }: Observed, { current, update }: Versions): void {
  const live = new Set([current.revision, update.revision, ...pods.map((pod: Pod) => podRevision(pod))])
  const unused = revisions.filter((revision) => !live.has(objectName(revision)))
  const limit = historyLimit(set)
  if (limit >= 0) deleteBeyondLimit(built, unused, unused.length - limit, limit)
}

function historyLimit({ spec }: StatefulSet): number {
  return spec?.revisionHistoryLimit ?? 10
}
