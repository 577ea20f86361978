import { keyOf } from "@pilothouse/api"
import { type Pod, type PodResourceClaim, pods } from "@pilothouse/api/core/v1"
import { type ResourceClaim, type ResourceClaimTemplate, resourceClaims, resourceClaimTemplates } from "@pilothouse/api/resource/v1"
import type { Reader } from "@pilothouse/runtime"
import { claimNameOf, claimsByOwner, ownedBy } from "./claims-of-pod.ts"

/** An entry of a pod's spec.resourceClaims, and what there is of it. */
export interface Entry {
  readonly entry: PodResourceClaim
  /** As the pod says: "" where none is needed, undefined where none is known. */
  readonly claimName: string | undefined
  readonly isGenerated: boolean
  /** What has that name. */
  readonly claim?: ResourceClaim
  /** Claims that were made for this entry, whether or not the pod's status has them. */
  readonly made: readonly ResourceClaim[]
  readonly template?: ResourceClaimTemplate
}

export interface ObservedPod {
  readonly pod: Pod
  readonly entries: readonly Entry[]
}

export function observePod(key: string, read: Reader): ObservedPod | undefined {
  const pod = read.get(pods, key)
  if (pod === undefined) return undefined
  return { pod, entries: (pod.spec?.resourceClaims ?? []).map((entry) => observeEntry(pod, entry, read)) }
}

function observeEntry(pod: Pod, entry: PodResourceClaim, read: Reader): Entry {
  const { name: claimName, isGenerated } = claimNameOf(pod, entry)
  const key = (name: string) => keyOf({ metadata: { name, namespace: pod.metadata.namespace } })
  const { resourceClaimTemplateName: template } = entry
  return {
    entry,
    claimName,
    isGenerated,
    claim: claimName ? read.get(resourceClaims, key(claimName)) : undefined,
    made: isGenerated ? read.byIndex(claimsByOwner, ownedBy(pod.metadata.uid ?? "", entry.name)) : [],
    template: template === undefined ? undefined : read.get(resourceClaimTemplates, key(template)),
  }
}
