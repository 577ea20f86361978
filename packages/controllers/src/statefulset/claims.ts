import type { StatefulSet } from "@pilothouse/api/apps/v1"
import type { PersistentVolumeClaim, Pod } from "@pilothouse/api/core/v1"
import type { KubeOperation } from "@pilothouse/runtime"
import { hasOtherController, newOwners, ownersOf, waitsForDeletion } from "./claim-owners.ts"
import { claimName, ordinalOf } from "./ordinals.ts"

/** Claims in the cache, by name. */
export type Claims = ReadonlyMap<string, PersistentVolumeClaim>

export interface ClaimWork {
  readonly operations: readonly KubeOperation[]
  /** Why the pod cannot be made yet. */
  readonly blocked?: string
  /** Claims that somebody else controls: the policy does not count for them. */
  readonly conflicting: readonly string[]
}

/** Claims that a pod needs and that are not there are made; the others get the owners that the policy asks for. */
export function provideClaims(set: StatefulSet, pod: Pod, claims: Claims): ClaimWork {
  const wanted = claimsFor(set, pod)
  const found = existing(wanted, claims)
  const missing = wanted.filter(({ metadata }) => !claims.has(metadata.name ?? ""))
  const deleting = found.find(({ metadata }) => metadata.deletionTimestamp !== undefined)
  const reason = `${pod.metadata.name} needs it`
  return {
    operations: [...missing.map((object): KubeOperation => ({ do: "create", object, reason })), ...ownerUpdates(set, pod, found)],
    blocked: deleting && `pvc ${deleting.metadata.name} is being deleted`,
    conflicting: found.filter((claim) => hasOtherController(claim, { set, pod })).map(({ metadata }) => metadata.name ?? ""),
  }
}

/** Only the owners of claims that are there. */
export function followPolicy(set: StatefulSet, pod: Pod, claims: Claims): readonly KubeOperation[] {
  return ownerUpdates(set, pod, existing(claimsFor(set, pod), claims))
}

/** The claim that has to go before the pod can be made; undefined when there is none. */
export function staleClaim(set: StatefulSet, pod: Pod, claims: Claims): string | undefined {
  return existing(claimsFor(set, pod), claims).find((claim) => waitsForDeletion(claim, { set, pod }))?.metadata.name
}

function ownerUpdates(set: StatefulSet, pod: Pod, found: readonly PersistentVolumeClaim[]): readonly KubeOperation[] {
  return found.flatMap((claim): readonly KubeOperation[] => {
    const ownerReferences = newOwners(claim, { set, pod })
    if (ownerReferences === undefined) return []
    const object = { ...claim, metadata: { ...claim.metadata, ownerReferences } }
    return [{ do: "update", object, reason: `the retention policy of ${set.metadata.name} asks for other owners` }]
  })
}

function claimsFor(set: StatefulSet, pod: Pod): readonly PersistentVolumeClaim[] {
  return (set.spec?.volumeClaimTemplates ?? []).map(({ metadata, spec }) => {
    const owners = ownersOf({ set, pod })
    return {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        name: claimName(set, metadata.name ?? "", ordinalOf(pod)),
        namespace: set.metadata.namespace,
        labels: { ...metadata.labels, ...set.spec?.selector.matchLabels },
        annotations: metadata.annotations,
        ownerReferences: owners.length === 0 ? undefined : owners,
      },
      spec,
    }
  })
}

function existing(wanted: readonly PersistentVolumeClaim[], claims: Claims): readonly PersistentVolumeClaim[] {
  return wanted.flatMap(({ metadata }) => claims.get(metadata.name ?? "") ?? [])
}
