import {
  conflict,
  controllerOf,
  controllerRef,
  type Descriptor,
  type KubeObject,
  keyOf,
  matchesLabels,
  type ObjectMeta,
  type Selector,
} from "@pilothouse/api"
import type { Reader } from "../reader.ts"
import type { KubeOperation } from "./plan.ts"

/** Who claims what, by which selector. */
export interface ClaimOptions<T extends KubeObject> {
  readonly owner: KubeObject
  /** The kind of the owner. */
  readonly kind: Descriptor
  readonly selector: Selector
  /** Whatever may be the owner's: its own, and orphans. Those of other owners are let be. */
  readonly candidates: readonly T[]
  /** The owner as the server itself has it (liveOwner). Without it nothing is adopted. */
  readonly live?: KubeObject
  /** True where the candidates are custom resources. */
  readonly custom?: boolean
  /** Put on what is adopted, taken off what is released: how a Job tracks its pods. */
  readonly finalizers?: readonly string[]
}

/** What a claim found, and the operations that make it true. */
export interface Claim<T extends KubeObject> {
  /** What is the owner's once the operations are done. */
  readonly owned: readonly T[]
  readonly adopt: readonly KubeOperation[]
  readonly release: readonly KubeOperation[]
}

type Verdict = "ours" | "adopt" | "release" | "not ours"

/** Sorts candidates into what is the owner's, what it should adopt and what it should let go. Pure. */
export function claim<T extends KubeObject>(options: ClaimOptions<T>): Claim<T> {
  const judged = options.candidates.map((object) => ({ object, verdict: judge(object, options) }))
  const those = (...verdicts: readonly Verdict[]) => judged.filter(({ verdict }) => verdicts.includes(verdict)).map(({ object }) => object)
  return {
    owned: those("ours", "adopt"),
    adopt: those("adopt").map((object) => adoptOperation(object, options)),
    release: those("release").map((object) => releaseOperation(object, options)),
  }
}

/**
 * For observe: the owner as the server has it now, asked for only when there is an orphan to adopt. A cache can be late:
 * an owner that was deleted, and perhaps made again under its name, must not take orphans with it. It must not make others in their place
 * either, so it throws a conflict then: the look fails, and is repeated until the cache knows.
 */
export async function liveOwner<T extends KubeObject>(
  read: Reader,
  options: Omit<ClaimOptions<T>, "live">,
): Promise<KubeObject | undefined> {
  const { owner, kind, candidates } = options
  const hasOrphans = candidates.some((object) => judge(object, { ...options, live: owner }) === "adopt")
  if (!hasOrphans) return undefined
  const live = await read.live(kind, keyOf(owner))
  const refusal = ownerMismatch(owner, live)
  if (refusal === undefined) return live
  throw conflict(kind, owner.metadata.name ?? "", `it has orphans to adopt, but the server says that it ${refusal}; the cache is behind`)
}

/** Why the server's word is against an adoption; undefined: it is not. */
function ownerMismatch(owner: KubeObject, live: KubeObject | undefined): string | undefined {
  if (live === undefined) return "is gone"
  if (live.metadata.uid !== owner.metadata.uid) return `was made again with the uid ${live.metadata.uid}`
  return isDeleting(live) ? "is being deleted" : undefined
}

function judge<T extends KubeObject>(object: T, { owner, selector, live }: ClaimOptions<T>): Verdict {
  const controller = controllerOf(object)
  const matches = matchesLabels(selector, object.metadata.labels ?? {})
  if (controller !== undefined && controller.uid !== owner.metadata.uid) return "not ours"
  if (controller !== undefined && matches) return "ours"
  // An owner that is being deleted changes nothing any more: the garbage collector sees to what it has.
  if (isDeleting(owner)) return "not ours"
  if (controller !== undefined) return "release"
  const confirmed = ownerMismatch(owner, live) === undefined
  return matches && !isDeleting(object) && canOwn(owner, object) && confirmed ? "adopt" : "not ours"
}

/** An owner with a namespace owns only in it; one without may own anywhere. */
function canOwn(owner: KubeObject, object: KubeObject): boolean {
  return !owner.metadata.namespace || owner.metadata.namespace === object.metadata.namespace
}

function isDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined
}

/** The uid in the patch makes the server refuse it for an object that has taken the name meanwhile. */
function adoptOperation<T extends KubeObject>(object: T, options: ClaimOptions<T>): KubeOperation {
  const { owner, kind, finalizers } = options
  const reference = controllerRef(owner, kind)
  const reason = `it matches the selector of ${kind.kind} ${keyOf(owner)} and nobody owns it`
  if (options.custom) {
    const { ownerReferences = [], finalizers: others = [] } = object.metadata
    const all = finalizers && [...new Set([...others, ...finalizers])]
    return wholeLists(object, { ownerReferences: [...ownerReferences, reference], ...(all && { finalizers: all }) }, reason)
  }
  const patch = { metadata: { uid: object.metadata.uid, ownerReferences: [reference], ...(finalizers && { finalizers }) } }
  return { do: "patch", object, patch, type: "strategic", tolerate: ["NotFound"], reason }
}

/**
 * Custom resources know no strategic patches: a merge patch gives the lists whole, and so only for the version of the object that was seen. Whoever was
 * quicker makes it a conflict, and the next look decides anew.
 */
function wholeLists(object: KubeObject, lists: Pick<ObjectMeta, "ownerReferences" | "finalizers">, reason: string): KubeOperation {
  const { uid, resourceVersion } = object.metadata
  return { do: "patch", object, patch: { metadata: { uid, resourceVersion, ...lists } }, type: "merge", tolerate: ["NotFound"], reason }
}

/** Invalid: it has no such reference any more, or is another object by now. */
function releaseOperation<T extends KubeObject>(object: T, options: ClaimOptions<T>): KubeOperation {
  const { owner, kind, finalizers } = options
  const reason = `it does not match the selector of ${kind.kind} ${keyOf(owner)} any more`
  if (options.custom) {
    const left = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid)
    const kept = finalizers && (object.metadata.finalizers ?? []).filter((name) => !finalizers.includes(name))
    return wholeLists(object, { ownerReferences: left, ...(kept && { finalizers: kept }) }, reason)
  }
  const ownerReferences = [{ $patch: "delete", uid: owner.metadata.uid }]
  const patch = {
    metadata: { uid: object.metadata.uid, ownerReferences, ...(finalizers && { "$deleteFromPrimitiveList/finalizers": finalizers }) },
  }
  return { do: "patch", object, patch, type: "strategic", tolerate: ["NotFound", "Invalid"], reason }
}
