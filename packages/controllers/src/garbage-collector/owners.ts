import { isUnknownResource, joinKey, type KubeObject, type OwnerReference } from "@pilothouse/api"
import type { Reader } from "@pilothouse/runtime"
import type { AbsentOwners } from "./absent-owners.ts"
import { isWaitingForDependents } from "./deletion.ts"
import { objectsByUid } from "./indexes.ts"
import { cachedLocation, liveLocation } from "./kinds.ts"

/**
 * Waiting: it goes once its dependents have gone. Unknown: whether it exists cannot be said, because the server does not have such a kind,
 * or because it has a namespace and the object has none.
 */
export type OwnerState = "present" | "waiting" | "absent" | "unknown"

export interface Owner {
  readonly reference: OwnerReference
  readonly state: OwnerState
  /** The server has it, and the cache does not: no event says when it is deleted. */
  readonly unseen?: boolean
  /** It is there, but in another namespace than the object, and so not its owner. */
  readonly elsewhere?: boolean
}

export interface Known {
  /** The server's answers of this reconcile. */
  readonly answers: Map<string, OwnerState>
  readonly absent: AbsentOwners
  readonly read: Reader
}

/** Undefined: the server has to be asked. */
export function resolveOwner(object: KubeObject, reference: OwnerReference, { answers, absent, read }: Known): Owner | undefined {
  const cached = cachedState(object, reference, read)
  if (cached !== undefined) return { reference, state: cached }
  const state = answeredState(object, reference, { answers, absent })
  if (state === "absent" || state === "unknown")
    return { reference, state, ...(isElsewhere(object, reference, read) && { elsewhere: true }) }
  return state && { reference, state, unseen: true }
}

/** Reports whether the server has to be asked. Cheaper than `resolveOwner`, which searches all caches for some owners. */
export function isUnresolved(object: KubeObject, reference: OwnerReference, known: Known): boolean {
  return cachedState(object, reference, known.read) === undefined && answeredState(object, reference, known) === undefined
}

/** Undefined where the cache does not have it. */
function cachedState(object: KubeObject, reference: OwnerReference, read: Reader): OwnerState | undefined {
  const location = cachedLocation(object, reference, read)
  const cached = location && ownerState(read.get(location.of, location.key), reference)
  return cached === "absent" ? undefined : cached
}

function answeredState(object: KubeObject, reference: OwnerReference, { answers, absent }: Omit<Known, "read">): OwnerState | undefined {
  const identity = referenceKey(object, reference)
  return answers.get(identity) ?? (absent.has(identity) ? "absent" : undefined)
}

/** Reads an owner from the server. An unknown kind is no absence: its definition may be gone for a moment only. */
export async function lookUpOwner(object: KubeObject, reference: OwnerReference, read: Reader): Promise<OwnerState> {
  const location = await liveLocation(object, reference, read)
  if (location === undefined) return "unknown"
  try {
    return ownerState(await read.live(location.of, location.key), reference)
  } catch (error) {
    // Its definition may be gone, or its server not there yet: no reason to delete what it owns.
    if (isUnknownResource(error)) return "unknown"
    throw error
  }
}

/** Two references may say the same uid and mean different places. */
export function referenceKey({ metadata: { namespace } }: KubeObject, { apiVersion, kind, name, uid }: OwnerReference): string {
  return [apiVersion, kind, joinKey({ namespace, name }), uid].join(" ")
}

/** Reports whether the caches show that every owner of the object is there to stay: then there is nothing to look at. */
export function isWellOwned(object: KubeObject, read: Reader): boolean {
  return (object.metadata.ownerReferences ?? []).every((reference) => {
    const location = cachedLocation(object, reference, read)
    return location !== undefined && ownerState(read.get(location.of, location.key), reference) === "present"
  })
}

/** Another object under the name of the owner is not the owner. */
function ownerState(found: KubeObject | undefined, { uid }: OwnerReference): OwnerState {
  if (found === undefined || found.metadata.uid !== uid) return "absent"
  return isWaitingForDependents(found) ? "waiting" : "present"
}

function isElsewhere({ metadata }: KubeObject, { uid }: OwnerReference, read: Reader): boolean {
  const found = read.byIndexOfAll(objectsByUid, uid)
  return found.some(({ object }) => object.metadata.namespace !== undefined && object.metadata.namespace !== metadata.namespace)
}
