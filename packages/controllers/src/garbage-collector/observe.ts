import type { KubeObject, OwnerReference } from "@pilothouse/api"
import type { KindAndObject, Reader } from "@pilothouse/runtime"
import type { AbsentOwners } from "./absent-owners.ts"
import { isDeleting, isOrphaning, isWaitingForDependents } from "./deletion.ts"
import { dependentsByOwner } from "./indexes.ts"
import { resolveKey } from "./kinds.ts"
import { isUnresolved, type Known, lookUpOwner, type Owner, type OwnerState, referenceKey, resolveOwner } from "./owners.ts"

export type Item = KindAndObject

export interface Observed extends Item {
  readonly owners: readonly Owner[]
  /** What names it as an owner; not read where the object has an owner left. */
  readonly dependents: readonly Item[]
  /** Kinds whose caches are not full: some of their objects may be dependents too. */
  readonly unseenKinds: readonly string[]
}

/** Owners of one object that are looked up at once: an object may name tens of thousands, and other requests must not wait for all of them. */
const maxConcurrentLookups = 250

/** An owner that the cache does not have is read from the server: only the server can say that it is deleted. */
export async function observe(key: string, read: Reader, absent: AbsentOwners): Promise<Observed | undefined> {
  const known: Known = { answers: new Map<string, OwnerState>(), absent, read }
  let progress: LookupProgress | undefined
  for (;;) {
    // The caches may have moved on since the question: they are read again, and only the answers are kept.
    const location = resolveKey(key, read)
    const object = location && read.get(location.of, location.key)
    if (location === undefined || object === undefined || isNotOurs(object)) return undefined
    // What is being deleted already goes or stays whatever became of its owners.
    const references = isDeleting(object) ? [] : (object.metadata.ownerReferences ?? [])
    if (progress?.object !== object) progress = { object, count: 0 }
    const open = nextUnresolved(progress, references, known)
    if (open.length > 0) {
      await lookUpOwners(object, open, known)
      continue
    }
    const owners = references.map((reference) => resolveOwner(object, reference, known))
    if (owners.every(isKnown)) return observed({ of: location.of, object }, owners, read)
    // An owner has left the cache since.
    progress.count = 0
  }
}

/** How many of an object's owners, from the first on, are known or were looked up: checking all 15,000 of them again for each 250 takes minutes. */
interface LookupProgress {
  readonly object: KubeObject
  count: number
}

function nextUnresolved(progress: LookupProgress, references: readonly OwnerReference[], known: Known): readonly OwnerReference[] {
  const open: OwnerReference[] = []
  for (; progress.count < references.length && open.length < maxConcurrentLookups; progress.count++)
    if (isUnresolved(progress.object, references[progress.count]!, known)) open.push(references[progress.count]!)
  return open
}

async function lookUpOwners(object: KubeObject, references: readonly OwnerReference[], { answers, absent, read }: Known): Promise<void> {
  await Promise.all(
    references.map(async (reference) => {
      const identity = referenceKey(object, reference)
      answers.set(identity, await absent.ask(identity, () => lookUpOwner(object, reference, read)))
    }),
  )
}

function observed({ of, object }: Item, owners: readonly Owner[], read: Reader): Observed {
  const isOwned = owners.some(({ state }) => state === "present" || state === "unknown")
  const unseenKinds = isOrphaning(object) || isWaitingForDependents(object) ? read.kinds().filter(({ hasSynced }) => !hasSynced) : []
  return {
    of,
    object,
    owners,
    dependents: isOwned ? [] : findDependents(object, read),
    unseenKinds: unseenKinds.map((kind) => kind.of.kind),
  }
}

export function findDependents({ metadata: { uid = "" } }: KubeObject, read: Reader): readonly Item[] {
  return read.byIndexOfAll(dependentsByOwner, uid)
}

/** Reports whether it neither has an owner nor waits for its dependents. */
function isNotOurs(object: KubeObject): boolean {
  return isDeleting(object) ? !isOrphaning(object) && !isWaitingForDependents(object) : !object.metadata.ownerReferences?.length
}

function isKnown(owner: Owner | undefined): owner is Owner {
  return owner !== undefined
}
