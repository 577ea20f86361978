import type { ObjectMeta } from "../meta/meta.ts"

/** "true" on nodes whose pods run nowhere. */
export const simulatedNodeLabel = "pilothouse.dev/simulated"

/** Reports whether the pods of a node run nowhere. */
export function isSimulatedNode({ metadata }: { readonly metadata: Pick<ObjectMeta, "labels"> }): boolean {
  return metadata.labels?.[simulatedNodeLabel] === "true"
}
