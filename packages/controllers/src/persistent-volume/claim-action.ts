import { bestVolumeFor, isVolumeFor, storageClassOf, volumeMismatch } from "@pilothouse/api"
import type { PersistentVolume } from "@pilothouse/api/core/v1"
import type { StorageClass } from "@pilothouse/api/storage/v1"
import { bindCompleted, boundByController, hasAnnotation } from "./annotations.ts"
import type { ObservedClaim } from "./observe-claim.ts"
import { hasSelectedNode, waitsForFirstConsumer } from "./storage-class.ts"

interface ClaimEvent {
  readonly type: "Normal" | "Warning"
  readonly reason: string
  readonly message: string
}

/** What a reconcile does for a claim. */
export type ClaimAction =
  | { readonly do: "bind"; readonly volume: PersistentVolume }
  | { readonly do: "lose"; readonly event: ClaimEvent }
  | { readonly do: "classify"; readonly class: StorageClass }
  | { readonly do: "provision" }
  /** Sets the phase Pending unless keepPhase is set. */
  | { readonly do: "wait"; readonly for: string; readonly event?: ClaimEvent; readonly keepPhase?: boolean }

export function nextClaimAction(observed: ObservedClaim): ClaimAction {
  const { claim } = observed
  if (hasAnnotation(claim, bindCompleted)) return actionForBound(observed)
  // A terminating claim gets nothing new: it would have to be undone.
  if (claim.metadata.deletionTimestamp !== undefined) return { do: "wait", for: "the claim to go away", keepPhase: true }
  return claim.spec?.volumeName ? actionForNamed(observed) : actionForUnbound(observed)
}

function actionForBound({ claim, volume }: ObservedClaim): ClaimAction {
  const lost = (reason: string, message: string): ClaimAction => ({ do: "lose", event: { type: "Warning", reason, message } })
  if (!claim.spec?.volumeName) {
    return lost("ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!")
  }
  if (volume === undefined) return lost("ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!")
  const uid = volume.spec?.claimRef === undefined ? claim.metadata.uid : volume.spec.claimRef.uid
  if (uid === claim.metadata.uid) return { do: "bind", volume }
  return lost("ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly")
}

function actionForNamed({ claim, volume }: ObservedClaim): ClaimAction {
  if (volume === undefined) return { do: "wait", for: `the volume ${claim.spec?.volumeName} to be created` }
  const { name } = volume.metadata
  if (volume.spec?.claimRef === undefined) {
    const fault = volumeMismatch(volume, claim)
    if (fault === undefined) return { do: "bind", volume }
    const message = `Cannot bind to requested volume "${name}": ${fault}`
    return { do: "wait", for: "a volume that fits", event: { type: "Warning", reason: "VolumeMismatch", message } }
  }
  if (isVolumeFor(volume, claim)) return { do: "bind", volume }
  const event = { type: "Warning", reason: "FailedBinding", message: `volume "${name}" already bound to a different claim.` } as const
  // The controller wrote the name but the annotations were edited since: the phase is left alone.
  return { do: "wait", for: `the volume ${name} to become free`, event, keepPhase: hasAnnotation(claim, boundByController) }
}

function actionForUnbound(observed: ObservedClaim): ClaimAction {
  const { claim, candidates, class: storageClass, defaultClass } = observed
  const delayed = waitsForFirstConsumer(storageClass)
  const volume = bestVolumeFor(claim, candidates, delayed)
  if (volume !== undefined) return { do: "bind", volume }
  if (defaultClass !== undefined) return { do: "classify", class: defaultClass }
  if (delayed && !hasSelectedNode(claim)) return waitForConsumer(observed)
  if (storageClassOf(claim) !== "") return { do: "provision" }
  const message = "no persistent volumes available for this claim and no storage class is set"
  return { do: "wait", for: "a volume that fits", event: { type: "Normal", reason: "FailedBinding", message } }
}

function waitForConsumer({ waitingPods }: ObservedClaim): ClaimAction {
  if (waitingPods.length === 0) {
    const message = "waiting for first consumer to be created before binding"
    return { do: "wait", for: "a pod that uses it", event: { type: "Normal", reason: "WaitForFirstConsumer", message } }
  }
  const message = `waiting for pod${waitingPods.length > 1 ? "s" : ""} ${waitingPods.join(",")} to be scheduled`
  return { do: "wait", for: "the scheduler to choose a node", event: { type: "Normal", reason: "WaitForPodScheduled", message } }
}
