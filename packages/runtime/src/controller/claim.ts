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
import type { Reader } from "./caches/reader.ts"
import type { KubeOperation } from "./plan/plan.ts"

/** The owner, its selector and the candidates of a claim. */
export interface ClaimOptions<T extends KubeObject> {
  readonly owner: KubeObject
  /** The kind of the owner. */
  readonly kind: Descriptor
  readonly selector: Selector
  /** Objects that may belong to the owner: its own, and orphans. Objects of other owners are ignored. */
  readonly candidates: readonly T[]
  /** The owner as read from the server (liveOwner). Without it nothing is adopted. */
  readonly live?: KubeObject
  /** True where the candidates are custom resources. */
  readonly custom?: boolean
  /** Added to adopted objects and removed from released ones: a Job tracks its pods with one. */
  readonly finalizers?: readonly string[]
}

/** The result of a claim. */
export interface Claim<T extends KubeObject> {
  /** The objects of the owner once the operations are done. */
  readonly owned: readonly T[]
  readonly adopt: readonly KubeOperation[]
  readonly release: readonly KubeOperation[]
}

type Verdict = "ours" | "adopt" | "release" | "not ours"

/** Decides which candidates the owner has, adopts and releases. Pure. Upstream: ControllerRefManager. */
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
 * For observe: reads the owner from the server when there is an orphan to adopt. A cache can lag:
 * an owner that was deleted, and perhaps created again under its name, must not adopt. It must not create others in their place
 * either, so this throws a conflict: the reconcile fails and is retried until the cache has caught up.
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

/** Why the live owner must not adopt; undefined where it may. */
function ownerMismatch(owner: KubeObject, live: KubeObject | undefined): string | undefined {
  if (live === undefined) return "is gone"
  if (live.metadata.uid !== owner.metadata.uid) return `was recreated with the uid ${live.metadata.uid}`
  return isDeleting(live) ? "is being deleted" : undefined
}

function judge<T extends KubeObject>(object: T, { owner, selector, live }: ClaimOptions<T>): Verdict {
  const controller = controllerOf(object)
  const matches = matchesLabels(selector, object.metadata.labels ?? {})
  if (controller !== undefined && controller.uid !== owner.metadata.uid) return "not ours"
  if (controller !== undefined && matches) return "ours"
  // An owner that is being deleted neither adopts nor releases: the garbage collector handles its dependents.
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

/** The uid in the patch makes the server refuse it for a newer object of the same name. */
function adoptOperation<T extends KubeObject>(object: T, options: ClaimOptions<T>): KubeOperation {
  const { owner, kind, finalizers } = options
  const reference = controllerRef(owner, kind)
  const reason = `it matches the selector of ${kind.kind} ${keyOf(owner)} and has no owner`
  if (options.custom) {
    const { ownerReferences = [], finalizers: others = [] } = object.metadata
    const all = finalizers && [...new Set([...others, ...finalizers])]
    return wholeLists(object, { ownerReferences: [...ownerReferences, reference], ...(all && { finalizers: all }) }, reason)
  }
  const patch = { metadata: { uid: object.metadata.uid, ownerReferences: [reference], ...(finalizers && { finalizers }) } }
  return { do: "patch", object, patch, type: "strategic", tolerate: ["NotFound"], reason }
}

/**
 * Custom resources have no strategic patches: a merge patch replaces the lists, and so only for the observed version of the object. A newer
 * version makes it a conflict, and the next reconcile decides again.
 */
function wholeLists(object: KubeObject, lists: Pick<ObjectMeta, "ownerReferences" | "finalizers">, reason: string): KubeOperation {
  const { uid, resourceVersion } = object.metadata
  return { do: "patch", object, patch: { metadata: { uid, resourceVersion, ...lists } }, type: "merge", tolerate: ["NotFound"], reason }
}

/** Tolerates Invalid: the object has no such reference any more, or is another object. */
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
