import { persistentVolumes } from "@pilothouse/api/core/v1"
import { type Controller, controller } from "@pilothouse/runtime"
import { decide } from "./decide.ts"
import { observe } from "./observe.ts"

/**
 * Keeps a volume that somebody deletes for as long as a claim has it.
 * Watches volumes; writes nothing but its finalizer. The phase is the binder's word for whether a claim has it.
 */
export function pvProtectionController(): Controller {
  return controller("persistentvolume-protection-controller", {
    for: persistentVolumes,
    predicate: ({ type }) => type !== "deleted",
    maxConcurrentReconciles: 1,
    observe,
    decide,
  })
}
