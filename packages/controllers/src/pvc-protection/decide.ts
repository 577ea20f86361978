import { hasFinalizer, withFinalizer, withoutFinalizer } from "@pilothouse/api"
import type { PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, plan } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"
import { withUnused } from "./unused-condition.ts"

export const finalizer = "kubernetes.io/pvc-protection"

/** Adds the finalizer to every claim, and removes it when the claim is deleted and no pod uses it. A bound claim reports whether a pod refers to it. */
export function decide(observed: Observed, { now }: DecideContext): Plan {
  const { claim, isUsed } = observed
  if (claim.metadata.deletionTimestamp !== undefined) return removeFinalizer(observed)
  // One write per reconcile: the first write enqueues the claim again. The finalizer comes before the condition.
  if (!hasFinalizer(claim, finalizer)) return plan().update(withFinalizer(claim, finalizer), "a claim that a pod uses must not be deleted")
  const conditions = claim.status?.phase === "Bound" ? withUnused(claim, isUsed, now) : undefined
  if (conditions === undefined) return plan().nothing("it is protected")
  const reason = isUsed ? "a pod refers to it now" : "no pod refers to it any more"
  return plan().status(claim, { ...claim.status, conditions }, reason)
}

function removeFinalizer({ claim, isBlocked }: { readonly claim: PersistentVolumeClaim; readonly isBlocked: boolean }): Plan {
  if (!hasFinalizer(claim, finalizer)) return plan().nothing("no finalizer of this controller holds it")
  if (isBlocked) return plan().waitFor("its pods to be deleted").nothing("it is deleted, but a pod uses it")
  return plan().update(withoutFinalizer(claim, finalizer), "it is deleted, and no pod uses it")
}
