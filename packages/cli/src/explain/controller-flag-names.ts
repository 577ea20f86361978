import { controllers, missingNeeds } from "@pilothouse/controllers"
import type { TracedLook } from "./history/trace.ts"

/** Some lines of the table are several controllers, each with a name of its own; people can switch only what --controllers knows, so that is named too. */
export function namedAsSwitched(looks: readonly TracedLook[]): readonly TracedLook[] {
  const names = switchNames()
  return looks.map((look) => ({ ...look, controller: names.get(look.controller) ?? look.controller }))
}

/** Of each controller that --controllers does not know by its own name: how it is shown. */
function switchNames(): ReadonlyMap<string, string> {
  const able = controllers.filter((entry) => missingNeeds(entry, {}).length === 0)
  return new Map(
    able.flatMap((entry) => {
      const loops = entry.create({}, {})
      const others = loops.filter(({ name }) => name !== entry.name)
      return others.map(({ name }) => [name, loops.length === 1 ? entry.name : `${name}, part of ${entry.name}`] as const)
    }),
  )
}
