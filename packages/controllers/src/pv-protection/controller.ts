import { hasFinalizer, withFinalizer, withoutFinalizer } from "@pilothouse/api"
import { type PersistentVolume, persistentVolumes } from "@pilothouse/api/core/v1"
import { type Controller, controller, type Plan, plan, type Reader } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"

/**
 * Delays the deletion of a volume while it is bound to a claim.
 * Watches volumes; writes only its finalizer. The phase, which the binder maintains, says whether a volume is bound.
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

function observe(key: string, read: Reader): PersistentVolume | undefined {
  return read.get(persistentVolumes, key)
}

export const finalizer = "kubernetes.io/pv-protection"

/** Adds the finalizer to every volume, and removes it when the volume is deleted and not bound. */
export function decide(volume: PersistentVolume): Plan {
  const isProtected = hasFinalizer(volume, finalizer)
  if (volume.metadata.deletionTimestamp === undefined) {
    if (isProtected) return plan().nothing("it is protected")
    return plan().update(withFinalizer(volume, finalizer), "a volume that a claim uses must not be deleted")
  }
  if (!isProtected) return plan().nothing("no finalizer of this controller holds it")
  if (volume.status?.phase === "Bound") return plan().waitFor("its claim to be deleted").nothing("it is deleted, but a claim has it")
  return plan().update(withoutFinalizer(volume, finalizer), "it is deleted, and no claim has it")
}

export const pvProtectionDescriptor = descriptor({
  name: "persistentvolume-protection-controller",
  aliases: ["pv-protection"],
  create: () => pvProtectionController(),
})
