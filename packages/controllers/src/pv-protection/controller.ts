import { hasFinalizer, withFinalizer, withoutFinalizer } from "@pilothouse/api"
import { type PersistentVolume, persistentVolumes } from "@pilothouse/api/core/v1"
import { type Controller, controller, type Plan, plan, type Reader } from "@pilothouse/runtime"
import { descriptor } from "../descriptor.ts"

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

function observe(key: string, read: Reader): PersistentVolume | undefined {
  return read.get(persistentVolumes, key)
}

export const finalizer = "kubernetes.io/pv-protection"

/** Every volume has the finalizer, and loses it when it is deleted and no claim has it. */
export function decide(volume: PersistentVolume): Plan {
  const isProtected = hasFinalizer(volume, finalizer)
  if (volume.metadata.deletionTimestamp === undefined) {
    if (isProtected) return plan().nothing("it is protected")
    return plan().update(withFinalizer(volume, finalizer), "a volume that a claim has must not go")
  }
  if (!isProtected) return plan().nothing("nothing of ours keeps it")
  if (volume.status?.phase === "Bound") return plan().waitFor("its claim to go").nothing("it is deleted, but a claim has it")
  return plan().update(withoutFinalizer(volume, finalizer), "it is deleted, and no claim has it")
}

export const pvProtectionDescriptor = descriptor({
  name: "persistentvolume-protection-controller",
  aliases: ["pv-protection"],
  create: () => pvProtectionController(),
})
