import { hasFinalizer, withFinalizer, withoutFinalizer } from "@pilothouse/api"
import type { PersistentVolume } from "@pilothouse/api/core/v1"
import { type Plan, plan } from "@pilothouse/runtime"

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
