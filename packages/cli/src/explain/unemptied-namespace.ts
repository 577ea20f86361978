import type { Namespace } from "@pilothouse/api/core/v1"
import type { Asked } from "./asked.ts"

const loop = "namespace-controller"

/** Of a namespace that was deleted where nobody empties it. Where somebody does, the loop has words of its own. */
export function unemptiedLines({ metadata }: Namespace, { loops }: Asked): readonly string[] {
  if (metadata.deletionTimestamp === undefined || metadata.deletionTimestamp === null || loops === undefined) return []
  return loops.includes(loop) ? [] : [`${loop} does not run here: nobody empties it, so that it stays`]
}
