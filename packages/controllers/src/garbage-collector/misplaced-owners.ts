import type { PlanBuilder } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"

/** Tells whoever wrote the reference why it does not hold, in upstream's words. */
export function misplacedOwners(made: PlanBuilder, { object, owners }: Observed): PlanBuilder {
  const { namespace = "" } = object.metadata
  for (const { reference, elsewhere } of owners) {
    if (!elsewhere) continue
    const { apiVersion, kind, name, uid } = reference
    const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`
    made.event(object, "Warning", "OwnerRefInvalidNamespace", `ownerRef ${owner} does not exist in namespace "${namespace}"`)
  }
  return made
}
