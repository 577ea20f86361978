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
  const found = existing(set, pod, claims)
  const missing = missingClaims(set, pod, claims)
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
  return ownerUpdates(set, pod, existing(set, pod, claims))
}

/** The claim that has to go before the pod can be made; undefined when there is none. */
export function staleClaim(set: StatefulSet, pod: Pod, claims: Claims): string | undefined {
  return existing(set, pod, claims).find((claim) => waitsForDeletion(claim, { set, pod }))?.metadata.name
}

function ownerUpdates(set: StatefulSet, pod: Pod, found: readonly PersistentVolumeClaim[]): readonly KubeOperation[] {
  return found.flatMap((claim): readonly KubeOperation[] => {
    const ownerReferences = newOwners(claim, { set, pod })
    if (ownerReferences === undefined) return []
    const object = { ...claim, metadata: { ...claim.metadata, ownerReferences } }
    return [{ do: "update", object, reason: `the retention policy of ${set.metadata.name} asks for other owners` }]
  })
}

function missingClaims(set: StatefulSet, pod: Pod, claims: Claims): readonly PersistentVolumeClaim[] {
  return (set.spec?.volumeClaimTemplates ?? []).flatMap(({ metadata, spec }) => {
    const name = claimName(set, metadata.name ?? "", ordinalOf(pod))
    if (claims.has(name)) return []
    const owners = ownersOf({ set, pod })
    return {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        name,
        namespace: set.metadata.namespace,
        labels: { ...metadata.labels, ...set.spec?.selector.matchLabels },
        annotations: metadata.annotations,
        ownerReferences: owners.length === 0 ? undefined : owners,
      },
      spec,
    }
  })
}

function existing(set: StatefulSet, pod: Pod, claims: Claims): readonly PersistentVolumeClaim[] {
  const ordinal = ordinalOf(pod)
  return (set.spec?.volumeClaimTemplates ?? []).flatMap(({ metadata }) => claims.get(claimName(set, metadata.name ?? "", ordinal)) ?? [])
}
