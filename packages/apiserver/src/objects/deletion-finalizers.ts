import type { KubeObject } from "@pilothouse/api"
import type { Resource } from "../resources/resource.ts"
import type { DeleteOptions, Propagation } from "./delete-options.ts"

const orphan = "orphan"
const foreground = "foregroundDeletion"

/** The finalizers of an object whose dependents the garbage collector is to treat as the options say. */
export function propagatedFinalizers(resource: Resource, object: KubeObject, options: DeleteOptions): readonly string[] {
  const finalizers = object.metadata.finalizers ?? []
  const policy = propagationOf(resource, finalizers, options)
  const wanted = policy === "Orphan" ? orphan : policy === "Foreground" ? foreground : undefined
  const present = finalizers.filter((finalizer) => finalizer === orphan || finalizer === foreground)
  // As they stand where nothing changes: a delete said twice is no new write.
  if (present.length === (wanted === undefined ? 0 : 1) && present[0] === wanted) return finalizers
  const others = finalizers.filter((finalizer) => finalizer !== orphan && finalizer !== foreground)
  return wanted === undefined ? others : [...others, wanted]
}

/** What the request says, else what an earlier one left on the object, else what the kind does by itself. */
function propagationOf(resource: Resource, finalizers: readonly string[], options: DeleteOptions): Propagation {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? "Orphan" : "Background"
  if (options.propagationPolicy !== undefined) return options.propagationPolicy
  const first = finalizers.find((finalizer) => finalizer === orphan || finalizer === foreground)
  if (first !== undefined) return first === orphan ? "Orphan" : "Foreground"
  return resource.strategy.defaultPropagation ?? "Background"
}
