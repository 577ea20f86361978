import { createControllers } from "@pilothouse/controllers"
import { findControllerDescriptor } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { everyController } from "../run/controllers/check-controllers.ts"
import { namedAsSwitched } from "./controller-flag-names.ts"
import type { TracedReconcile } from "./trace.ts"

function shown(controller: string): string | undefined {
  const reconcile: TracedReconcile = { at: "2026-01-05T09:00:00Z", controller, key: "a", causes: [], observed: [], lines: [] }
  return namedAsSwitched([reconcile])[0]?.controller
}

test.each([
  ["persistentvolume-reclaimer-controller", "persistentvolume-reclaimer-controller, part of persistentvolume-binder-controller"],
  ["persistentvolume-binder-controller", "persistentvolume-binder-controller"],
  ["stale-pod-disruption", "stale-pod-disruption, part of disruption-controller"],
  ["replication-controller", "replicationcontroller-controller"],
  ["of-another-program", "of-another-program"],
])("%s is shown as %s", (name, expected) => {
  expect(shown(name)).toBe(expected)
})

test("every controller is shown with a name that --controllers takes", () => {
  for (const { name } of createControllers())
    expect(findControllerDescriptor(everyController, shown(name)!.split(", part of ").at(-1)!), name).toBeDefined()
})
