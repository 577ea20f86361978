import type { Namespace } from "@pilothouse/api/core/v1"
import type { Asked } from "../asked.ts"

const loop = "namespace-controller"

/** Of a namespace that was deleted where nobody empties it. Where somebody does, the controller has words of its own. */
export function unemptiedLines({ metadata }: Namespace, { controllers }: Asked): readonly string[] {
  if (metadata.deletionTimestamp === undefined || metadata.deletionTimestamp === null || controllers === undefined) return []
  return controllers.includes(loop) ? [] : [`${loop} does not run here: nobody empties it, so that it stays`]
}
