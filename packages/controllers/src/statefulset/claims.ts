import type { StatefulSet } from "@pilothouse/api/apps/v1"
import type { PersistentVolumeClaim, Pod } from "@pilothouse/api/core/v1"
import type { KubeOperation } from "@pilothouse/runtime"
import { desiredOwners, hasOtherController, newOwners, waitsForDeletion } from "./claim-owners.ts"
import { claimName, podOrdinal } from "./ordinals.ts"

/** Claims in the cache, by name. */
export type Claims = ReadonlyMap<string, PersistentVolumeClaim>

export interface ClaimWork {
  readonly operations: readonly KubeOperation[]
  /** Why the pod cannot be created yet. */
  readonly blocked?: string
  /** Claims that another controller owns: the policy does not apply to them. */
  readonly conflicting: readonly string[]
}

/** Creates the missing claims of a pod; existing ones get the owners that the policy requires. */
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

/** Updates only the owners of existing claims. */
export function followPolicy(set: StatefulSet, pod: Pod, claims: Claims): readonly KubeOperation[] {
  return ownerUpdates(set, pod, existing(set, pod, claims))
}

/** Returns the claim that has to be deleted before the pod can be created; undefined when there is none. */
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
    const name = claimName(set, metadata.name ?? "", podOrdinal(pod))
    if (claims.has(name)) return []
    const owners = desiredOwners({ set, pod })
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
  const ordinal = podOrdinal(pod)
  return (set.spec?.volumeClaimTemplates ?? []).flatMap(({ metadata }) => claims.get(claimName(set, metadata.name ?? "", ordinal)) ?? [])
}
