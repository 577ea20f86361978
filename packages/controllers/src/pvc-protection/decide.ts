import { hasFinalizer, withFinalizer, withoutFinalizer } from "@pilothouse/api"
import type { PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, plan } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"
import { withUnused } from "./unused-condition.ts"

export const finalizer = "kubernetes.io/pvc-protection"

/** Every claim has the finalizer, and loses it when it is deleted and no pod needs it. A bound one says whether a pod refers to it. */
export function decide(observed: Observed, { now }: DecideContext): Plan {
  const { claim, isUsed } = observed
  if (claim.metadata.deletionTimestamp !== undefined) return letGo(observed)
  // Two writes of one object: the second one takes its turn with the look that the first one brings. Protection counts more than words.
  if (!hasFinalizer(claim, finalizer)) return plan().update(withFinalizer(claim, finalizer), "a claim that a pod uses must not go")
  const conditions = claim.status?.phase === "Bound" ? withUnused(claim, isUsed, now) : undefined
  if (conditions === undefined) return plan().nothing("it is protected")
  const reason = isUsed ? "a pod refers to it now" : "no pod refers to it any more"
  return plan().status(claim, { ...claim.status, conditions }, reason)
}

function letGo({ claim, isKept }: { readonly claim: PersistentVolumeClaim; readonly isKept: boolean }): Plan {
  if (!hasFinalizer(claim, finalizer)) return plan().nothing("nothing of ours keeps it")
  if (isKept) return plan().waitFor("its pods to go").nothing("it is deleted, but a pod uses it")
  return plan().update(withoutFinalizer(claim, finalizer), "it is deleted, and no pod uses it")
}
