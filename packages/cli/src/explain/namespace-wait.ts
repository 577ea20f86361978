import { parseTime, resourceNameOf } from "@pilothouse/api"
import { type Namespace, namespaces } from "@pilothouse/api/core/v1"
import { createControllers } from "@pilothouse/controllers"
import { milliseconds } from "@pilothouse/seams"
import type { Asked } from "./asked.ts"
import { remaining } from "./remaining.ts"

const loop = "namespace-controller"

/** Of a namespace that was deleted and that its loop has not looked at since: when it will. After that the loop has words of its own. */
export function namespaceWaitLines({ metadata }: Namespace, { now, loops, looks = [] }: Asked): readonly string[] {
  if (metadata.deletionTimestamp === undefined || metadata.deletionTimestamp === null || loops === undefined) return []
  if (!loops.includes(loop)) return [`${loop} does not run here: nobody empties it, so that it stays`]
  const deleted = parseTime(metadata.deletionTimestamp)
  if (looks.some(({ controller, at }) => controller === loop && parseTime(at) >= deleted)) return []
  const left = deleted + patience() - now
  const when = left < 500 ? "any moment" : `in ${remaining(left)}`
  return [`${loop} begins to empty it ${when}: first every API server has to have seen that it goes, and let nothing new in`]
}

/** Milliseconds for which the loop lets a namespace be that was just deleted: it knows best. */
function patience(): number {
  const [found] = createControllers({ select: [loop] })
  const woken = found?.watches?.find(({ of }) => resourceNameOf(of) === resourceNameOf(namespaces))
  return milliseconds(woken?.after ?? 0)
}
