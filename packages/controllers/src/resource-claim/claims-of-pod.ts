import { controllerOf } from "@pilothouse/api"
import { type Pod, type PodResourceClaim, pods } from "@pilothouse/api/core/v1"
import { resourceClaims } from "@pilothouse/api/resource/v1"
import { index } from "@pilothouse/runtime"

/** On a claim that was made from a template: the name of the pod's entry. */
export const podClaimName = "resource.kubernetes.io/pod-claim-name"

/**
 * The name of the ResourceClaim of a pod's entry: `name` undefined where none was made yet, "" where none is needed.
 * `isGenerated`: it must be owned by the pod; a claim that the pod names itself may have any owner.
 */
export interface ClaimName {
  readonly name: string | undefined
  readonly isGenerated: boolean
}

/** Returns the name of the ResourceClaim of a pod's entry. */
export function claimNameOf({ status }: Pod, { name, resourceClaimName }: PodResourceClaim): ClaimName {
  if (resourceClaimName !== undefined) return { name: resourceClaimName, isGenerated: false }
  const recorded = status?.resourceClaimStatuses?.find((one) => one.name === name)
  return { name: recorded === undefined ? undefined : (recorded.resourceClaimName ?? ""), isGenerated: true }
}

/** The names of the claims of a pod that are known, also of that which the scheduler made for its extended resources. */
export function claimNamesOf(pod: Pod): readonly string[] {
  const extended = pod.status?.extendedResourceClaimStatus?.resourceClaimName
  const named = (pod.spec?.resourceClaims ?? []).flatMap((entry) => claimNameOf(pod, entry).name || [])
  return extended === undefined ? named : [...named, extended]
}

export const podsByResourceClaim = index(pods, "resource-claim", (pod) =>
  claimNamesOf(pod).map((name) => `${pod.metadata.namespace}/${name}`),
)

export const podsByTemplate = index(pods, "resource-claim-template", ({ metadata, spec }) =>
  (spec?.resourceClaims ?? []).flatMap(({ resourceClaimTemplateName: name }) =>
    name === undefined ? [] : [`${metadata.namespace}/${name}`],
  ),
)

/** Claims by the uid of the pod that owns them, and the name of its entry. */
export const claimsByOwner = index(resourceClaims, "owner-entry", (claim) => {
  const [owner, entry] = [controllerOf(claim), claim.metadata.annotations?.[podClaimName]]
  return owner?.kind === "Pod" && entry !== undefined ? [ownedBy(owner.uid, entry)] : []
})

export function ownedBy(uid: string, entry: string): string {
  return `${uid} ${entry}`
}
