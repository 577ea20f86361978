import type { KubeObject } from "@pilothouse/api"
import type { KindAndObject, Reader } from "@pilothouse/runtime"
import type { AbsentOwners } from "./absent-owners.ts"
import { isDeleting, isOrphaning, isWaitingForDependents } from "./finalizers.ts"
import { dependentsByOwner } from "./indexes.ts"
import { placeOf } from "./kinds.ts"
import { askForOwner, identityOf, type Owner, type OwnerState, ownerOf } from "./owners.ts"

export type Item = KindAndObject

export interface Observed extends Item {
  readonly owners: readonly Owner[]
  /** What names it as an owner; not looked for where somebody owns the object. */
  readonly dependents: readonly Item[]
  /** Kinds whose caches are not full: some of their objects may be dependents too. */
  readonly unseenKinds: readonly string[]
}

/** Owners of one object that are asked for at once: an object may name tens of thousands, and other requests must not wait for all of them. */
const askedAtOnce = 250

/** An owner that the cache does not have is asked for: only the server itself can say that it is gone. */
export async function observe(key: string, read: Reader, absent: AbsentOwners): Promise<Observed | undefined> {
  const answers = new Map<string, OwnerState>()
  for (;;) {
    // The caches may have moved on since the question: they are read again, and only the answers are kept.
    const place = placeOf(key, read)
    const object = place && read.get(place.of, place.key)
    if (place === undefined || object === undefined || isNotOurs(object)) return undefined
    // What is being deleted already goes or stays whatever became of its owners.
    const references = isDeleting(object) ? [] : (object.metadata.ownerReferences ?? [])
    const owners = references.map((reference) => ownerOf(object, reference, { answers, absent, read }))
    const open = references.filter((_, at) => owners[at] === undefined).slice(0, askedAtOnce)
    if (open.length === 0) return observed({ of: place.of, object }, owners.filter(isKnown), read)
    await Promise.all(
      open.map(async (reference) => {
        const identity = identityOf(object, reference)
        answers.set(identity, await absent.ask(identity, () => askForOwner(object, reference, read)))
      }),
    )
  }
}

function observed({ of, object }: Item, owners: readonly Owner[], read: Reader): Observed {
  const isOwned = owners.some(({ state }) => state === "present" || state === "unknown")
  const unseenKinds = isOrphaning(object) || isWaitingForDependents(object) ? read.kinds().filter(({ hasSynced }) => !hasSynced) : []
  return { of, object, owners, dependents: isOwned ? [] : dependentsOf(object, read), unseenKinds: unseenKinds.map((kind) => kind.of.kind) }
}

export function dependentsOf({ metadata: { uid = "" } }: KubeObject, read: Reader): readonly Item[] {
  return read.byIndexOfAll(dependentsByOwner, uid)
}

/** Neither owned by anybody nor an owner that waits for us. */
function isNotOurs(object: KubeObject): boolean {
  return isDeleting(object) ? !isOrphaning(object) && !isWaitingForDependents(object) : !object.metadata.ownerReferences?.length
}

function isKnown(owner: Owner | undefined): owner is Owner {
  return owner !== undefined
}
