import { controllers, missingNeeds } from "@pilothouse/controllers"
import type { TracedReconcile } from "./trace.ts"

/** Some lines of the table are several controllers, each with a name of its own; people can switch only what --controllers knows, so that is named too. */
export function namedAsSwitched(reconciles: readonly TracedReconcile[]): readonly TracedReconcile[] {
  const names = switchNames()
  return reconciles.map((reconcile) => ({ ...reconcile, controller: names.get(reconcile.controller) ?? reconcile.controller }))
}

/** Of each controller that --controllers does not know by its own name: how it is shown. */
function switchNames(): ReadonlyMap<string, string> {
  const able = controllers.filter((entry) => missingNeeds(entry, {}).length === 0)
  return new Map(
    able.flatMap((entry) => {
      const controllers = entry.create({}, {})
      const others = controllers.filter(({ name }) => name !== entry.name)
      return others.map(({ name }) => [name, controllers.length === 1 ? entry.name : `${name}, part of ${entry.name}`] as const)
    }),
  )
}
