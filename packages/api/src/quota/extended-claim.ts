import type { Pod } from "../generated/core/v1.types.ts"
import type { ResourceClaim } from "../generated/resource/v1.types.ts"
import { controllerOf } from "../owners/owner-references.ts"
import { parseTime } from "../text/time.ts"

const annotation = "resource.kubernetes.io/extended-resource-claim"

/** Where a claim's pod is found, and the other claims of that pod. */
export interface ClaimNeighbours {
  pod(namespace: string, name: string): Pod | undefined
  /** Those of a namespace whose extendedClaimPod is the pod with this uid. */
  claimsOf(namespace: string, podUid: string): readonly ResourceClaim[]
}

/** The pod for whose extended resources a claim says that the scheduler has made it. */
export function extendedClaimPod({
  metadata,
}: Pick<ResourceClaim, "metadata">): { readonly name: string; readonly uid: string } | undefined {
  if (metadata.annotations?.[annotation] !== "true") return undefined
  const owner = controllerOf({ metadata })
  return owner?.kind === "Pod" && owner.apiVersion === "v1" ? owner : undefined
}

/** That pod, if it is there and does not contradict: for its devices the pod is charged, and the claim is not. One claim of a pod only has this. */
export function podChargedFor(claim: ResourceClaim, { pod, claimsOf }: ClaimNeighbours): Pod | undefined {
  const said = extendedClaimPod(claim)
  if (said === undefined) return undefined
  const { name, namespace = "" } = claim.metadata
  const found = pod(namespace, said.name)
  if (found?.metadata.uid !== said.uid) return undefined
  const status = found.status?.extendedResourceClaimStatus
  if (status !== undefined) return status.resourceClaimName === name ? found : undefined
  return claimsOf(namespace, said.uid).some((other) => isBefore(other, claim)) ? undefined : found
}

/** Whatever is stored was there before a claim that is being made. */
function isBefore({ metadata: other }: ResourceClaim, { metadata: own }: ResourceClaim): boolean {
  if (own.resourceVersion === undefined) return true
  const [theirs, ours] = [parseTime(other.creationTimestamp ?? ""), parseTime(own.creationTimestamp ?? "")]
  return theirs < ours || (theirs === ours && (other.name ?? "") < (own.name ?? ""))
}
