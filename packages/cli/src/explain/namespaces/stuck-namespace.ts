import type { Namespace } from "@pilothouse/api/core/v1"
import type { ExplainContext } from "../explain-context.ts"

const namespaceController = "namespace-controller"

/** Of a namespace that was deleted where no controller empties it. Where one does, it has messages of its own. */
export function unemptiedLines({ metadata }: Namespace, { controllers }: ExplainContext): readonly string[] {
  if (metadata.deletionTimestamp === undefined || metadata.deletionTimestamp === null || controllers === undefined) return []
  return controllers.includes(namespaceController) ? [] : [`${namespaceController} does not run here: nothing empties it, so that it stays`]
}
