import { hasFinalizer, withFinalizer, withoutFinalizer } from "@pilothouse/api"
import { type Plan, plan } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"

export const finalizer = "kubernetes.io/vac-protection"

/** Every class has the finalizer, and loses it when it is deleted and neither a claim nor a volume names it. */
export function decide({ volumeClass, user }: Observed): Plan {
  const isProtected = hasFinalizer(volumeClass, finalizer)
  if (volumeClass.metadata.deletionTimestamp === undefined) {
    if (isProtected) return plan().nothing("it is protected")
    return plan().update(withFinalizer(volumeClass, finalizer), "a class that a claim or a volume names must not go")
  }
  if (!isProtected) return plan().nothing("nothing of ours keeps it")
  if (user !== undefined) return plan().waitFor("those that name it to go").nothing(`it is deleted, but ${user} names it`)
  return plan().update(withoutFinalizer(volumeClass, finalizer), "it is deleted, and neither a claim nor a volume names it")
}
