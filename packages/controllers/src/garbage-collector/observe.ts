import type { Descriptor, KubeObject, OwnerReference } from "@pilothouse/api"
import { index, type Reader } from "@pilothouse/runtime"
import { isDeleting, isOrphaning, isWaitingForDependents } from "./finalizers.ts"
import { collected, ownerPlace, partsOf } from "./kinds.ts"

/** An object and its kind: what a cache gives does not always say its own. */
export interface Item {
  readonly of: Descriptor
  readonly object: KubeObject
}

/** Unknown: of a kind that is not watched here, so that nobody can say whether it is there. Waiting: it goes once its dependents have gone. */
export type OwnerState = "present" | "waiting" | "absent" | "unknown"

export interface Owner {
  readonly reference: OwnerReference
  readonly state: OwnerState
  /** The server has it, and the cache does not: nobody will tell when it goes. */
  readonly unseen?: boolean
}

export interface Observed extends Item {
  readonly owners: readonly Owner[]
  /** What names it as an owner. */
  readonly dependents: readonly Item[]
}

const dependentsByOwner = collected.map((of) => index(of, "owner-uid", ownerUids))
export const indexes = dependentsByOwner

function ownerUids({ metadata }: KubeObject): readonly string[] {
  return metadata.ownerReferences === undefined ? [] : [...new Set(metadata.ownerReferences.map(({ uid }) => uid))]
}

/** An owner that the cache does not have is asked for: only the server itself can say that it is gone. */
export async function observe(key: string, read: Reader): Promise<Observed | undefined> {
  const answers = new Map<string, OwnerState>()
  const place = partsOf(key)
  if (place === undefined) return undefined
  for (;;) {
    const object = read.get(place.of, place.key)
    if (object === undefined || isNotOurs(object)) return undefined
    // What is being deleted already goes or stays whatever became of its owners.
    const references = isDeleting(object) ? [] : (object.metadata.ownerReferences ?? [])
    const owners = references.map((reference) => ownerOf(object, reference, answers, read))
    const open = references.filter((_, at) => owners[at] === undefined)
    if (open.length === 0) {
      const known = owners.filter((owner) => owner !== undefined)
      return { of: place.of, object, owners: known, dependents: dependentsOf(object, read) }
    }
    // The caches may move on meanwhile: they are read again, and only the answers are kept.
    await Promise.all(open.map(async (reference) => answers.set(identityOf(reference), await ask(object, reference, read))))
  }
}

export function dependentsOf({ metadata: { uid = "" } }: KubeObject, read: Reader): readonly Item[] {
  return dependentsByOwner.flatMap((byOwner) => read.byIndex(byOwner, uid).map((object) => ({ of: byOwner.of, object })))
}

/** Neither owned by anybody nor an owner that waits for us. */
function isNotOurs(object: KubeObject): boolean {
  return isDeleting(object) ? !isOrphaning(object) && !isWaitingForDependents(object) : !object.metadata.ownerReferences?.length
}

/** Undefined: the server has to be asked. */
function ownerOf(object: KubeObject, reference: OwnerReference, answers: ReadonlyMap<string, OwnerState>, read: Reader): Owner | undefined {
  const place = ownerPlace(object, reference)
  if (place === undefined) return { reference, state: "unknown" }
  const cached = stateOf(read.get(place.of, place.key), reference)
  if (cached !== "absent") return { reference, state: cached }
  const state = answers.get(identityOf(reference))
  return state && { reference, state, ...(state !== "absent" && { unseen: true }) }
}

/** Two references may say the same uid and mean different places. */
function identityOf({ apiVersion, kind, name, uid }: OwnerReference): string {
  return [apiVersion, kind, name, uid].join(" ")
}

async function ask(object: KubeObject, reference: OwnerReference, read: Reader): Promise<OwnerState> {
  const place = ownerPlace(object, reference)
  return place === undefined ? "unknown" : stateOf(await read.live(place.of, place.key), reference)
}

/** Another object under the name of the owner is not the owner. */
function stateOf(found: KubeObject | undefined, { uid }: OwnerReference): OwnerState {
  if (found === undefined || found.metadata.uid !== uid) return "absent"
  return isWaitingForDependents(found) ? "waiting" : "present"
}
