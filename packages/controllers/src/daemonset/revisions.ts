import { compareInt64, type Int64 } from "@pilothouse/api"
import { type ControllerRevision, type DaemonSet, daemonSets } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import type { PlanBuilder } from "@pilothouse/runtime"
import { deleteBeyondLimit, nextRevision, objectName, revisionsWith } from "../controller-revisions/history.ts"
import { newRevision } from "../controller-revisions/observe-revisions.ts"
import { hashLabel } from "./daemon-pod.ts"
import type { Observed } from "./observe.ts"

export interface History {
  /** The revision of the present template that is kept; undefined when it has to be made. */
  readonly current?: ControllerRevision
  /** Others that say the same. */
  readonly duplicates: readonly ControllerRevision[]
  readonly old: readonly ControllerRevision[]
  /** The label of pods of the present template. */
  readonly hash: string
}

export function revisionHistory({ revisions, proposal }: Observed): History {
  const same = revisionsWith(revisions, proposal.data)
  const old = revisions.filter((revision) => !same.includes(revision))
  // The last of the highest; one that is not ours, but has our name and says the same, is as good.
  const current = same.toSorted((a, b) => compareInt64(a.revision, b.revision)).at(-1) ?? proposal.existing
  const duplicates = same.filter((revision) => revision !== current)
  return { current, duplicates, old, hash: current === undefined ? proposal.hash : revisionHashLabel(current) }
}

/** Revisions of long ago have no label; their name is as good, and cannot collide. */
function revisionHashLabel(revision: ControllerRevision): string {
  return revision.metadata.labels?.[hashLabel] ?? objectName(revision)
}

/** Makes the revision of the present template, or makes it the newest again after a rollback; one of several that say the same is kept. */
export function syncHistory(built: PlanBuilder, { daemonSet, proposal, pods, revisions }: Observed, history: History): void {
  const { current, duplicates, old, hash } = history
  const number = nextRevision(old)
  if (current === undefined) {
    const labels = { ...daemonSet.spec?.template?.metadata?.labels, [hashLabel]: hash }
    built.create(newRevision(daemonSet, daemonSets, proposal, labels, number), "the template has no revision yet")
  }
  for (const revision of revisions.filter((one) => !duplicates.includes(one)))
    repairRevision(built, revision, revision === current ? number : 0)
  for (const pod of pods.filter((one) => isOfDuplicate(one, history))) {
    built.patch(pod, { metadata: { labels: { [hashLabel]: hash } } }, "its revision is a duplicate that goes")
  }
  if (duplicates.length === 0) return
  // Pods that still name a duplicate would be taken for old ones.
  built.nextStep()
  for (const duplicate of duplicates) built.delete(duplicate, `it says the same as ${objectName(current!)}`)
}

/** The pods as they are once they have the label of the revision that is kept: those of duplicates are not outdated. */
export function relabeledPods(pods: readonly Pod[], history: History): readonly Pod[] {
  if (history.duplicates.length === 0) return pods
  return pods.map((pod) => {
    if (!isOfDuplicate(pod, history)) return pod
    return { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, [hashLabel]: history.hash } } }
  })
}

function isOfDuplicate({ metadata }: Pod, { duplicates }: History): boolean {
  return duplicates.some((duplicate) => revisionHashLabel(duplicate) === metadata.labels?.[hashLabel])
}

function repairRevision(built: PlanBuilder, revision: ControllerRevision, min: Int64): void {
  const { metadata } = revision
  const labelled = metadata.labels?.[hashLabel] !== undefined
  if (labelled && revision.revision >= min) return
  const labels = { ...metadata.labels, [hashLabel]: revisionHashLabel(revision) }
  const reason = labelled ? "its template is the present one again" : "it has no label with its hash"
  built.update({ ...revision, metadata: { ...metadata, labels }, revision: revision.revision > min ? revision.revision : min }, reason)
}

/** Old revisions beyond the limit go, but none that a pod still has. */
export function cleanUpHistory(built: PlanBuilder, daemonSet: DaemonSet, pods: readonly Pod[], old: readonly ControllerRevision[]): void {
  const limit = daemonSet.spec?.revisionHistoryLimit ?? 10
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[hashLabel]))
  const unused = old.filter((revision) => !live.has(revisionHashLabel(revision)))
  deleteBeyondLimit(built, unused, old.length - limit, limit)
}
