import { addInt64, compareInt64, type Int64 } from "@pilothouse/api"
import type { Deployment, ReplicaSet } from "@pilothouse/api/apps/v1"
import { type Annotations, annotationsOf, historyAnnotation, revisionAnnotation, revisionOf, sharedAnnotations } from "./annotations.ts"
import type { Edit } from "./edit.ts"
import type { ReplicaSets } from "./replica-sets.ts"

/** Annotations have a limit of 256 KiB together; a Deployment that goes back and forth daily must never reach it. */
const maxHistory = 2000

export function nextRevision(old: readonly ReplicaSet[]): Int64 {
  return addInt64(
    old.map((set) => revisionOf(set) ?? 0).reduce((max, one) => (one > max ? one : max), 0),
    1,
  )
}

/** The second highest revision; 0 when there is none. */
export function lastRevision(sets: readonly ReplicaSet[]): Int64 {
  const [, second = 0] = sets.map((set) => revisionOf(set) ?? 0).sort((a, b) => compareInt64(b, a))
  return second
}

/**
 * Keeps the current ReplicaSet in step with its Deployment: annotations, minReadySeconds, and the highest revision.
 * Undefined when it is.
 */
export function followDeployment(deployment: Deployment, { current, old }: ReplicaSets): Edit | undefined {
  if (current === undefined) return undefined
  const annotations = changedAnnotations(deployment, current, nextRevision(old))
  const seconds = deployment.spec?.minReadySeconds ?? 0
  const waitDiffers = (current.spec?.minReadySeconds ?? 0) !== seconds
  if (annotations === undefined && !waitDiffers) return undefined
  const what = [annotations && `annotations ${Object.keys(annotations).join(", ")}`, waitDiffers && `minReadySeconds ${seconds}`]
  const reason = `it follows its Deployment: ${what.filter(Boolean).join(" and ")}`
  return { set: current, annotations, ...(waitDiffers && { minReadySeconds: seconds }), reason }
}

function changedAnnotations(deployment: Deployment, current: ReplicaSet, revision: Int64): Annotations | undefined {
  const known = annotationsOf(current)
  const own = revisionOf(current)
  // Somebody wrote a word there: what follows from it is unknown, so nothing is touched.
  if (own === undefined) return undefined
  const shared = Object.entries(sharedAnnotations(deployment)).filter(([key, value]) => known[key] !== value)
  const risen = own < revision ? { [revisionAnnotation]: String(revision), ...history(known) } : {}
  const changed = { ...Object.fromEntries(shared), ...risen }
  return Object.keys(changed).length === 0 ? undefined : changed
}

/** A ReplicaSet that becomes current again keeps the revisions it had, the oldest of them forgotten when there are too many. */
function history(known: Annotations): Annotations {
  const last = known[revisionAnnotation]
  if (last === undefined) return {}
  const revisions = [...(known[historyAnnotation] ?? "").split(",").filter(Boolean), last]
  while (revisions.length > 1 && revisions.join(",").length > maxHistory) revisions.shift()
  return { [historyAnnotation]: revisions.join(",") }
}
