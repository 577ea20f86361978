import { isConflict, type OwnerReference, parseTime } from "@pilothouse/api"
import { type DecideContext, type KubeOperation, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { milliseconds } from "@pilothouse/seams"
import { deletionPlan, foregroundFinalizer, isOrphaning, isWaitingForDependents, orphanFinalizer } from "./deletion.ts"
import type { Item, Observed } from "./observe.ts"
import type { Owner } from "./owners.ts"
import { withoutFinalizerPatch, withoutOwnersPatch } from "./patches.ts"

/** How long an owner that only the server knows may take to come into the cache. */
const cacheGracePeriod = "30s"

/** Until it is checked again whether the server has the kind of an owner. */
const unknownKindRetryPeriod = "5m"

/** Deletes an object whose owners are gone, or drops its references to some of them: upstream's attemptToDeleteItem. */
export function decide(observed: Observed, { now }: Pick<DecideContext, "now">): Plan {
  if (isOrphaning(observed.object)) return waitForKinds(observed, now) ?? orphan(observed)
  if (isWaitingForDependents(observed.object)) return waitForKinds(observed, now) ?? waitForDependents(observed)
  const solid = observed.owners.filter(({ state }) => state === "present" || state === "unknown")
  const built = solid.length === 0 ? deletionPlan(observed) : keep(observed, solid)
  return requeueForOwners(recordMisplacedOwners(built, observed), observed)
}

/**
 * A dependent that is not in the cache would not be orphaned and be deleted after its owner, or not be waited for. The cache of a newly discovered kind
 * syncs in a moment; a kind that cannot be listed delays the deletion no longer than that.
 */
function waitForKinds({ object, unseenKinds }: Observed, now: number): Plan | undefined {
  const waited = now - parseTime(object.metadata.deletionTimestamp ?? "1970-01-01T00:00:00Z")
  if (unseenKinds.length === 0 || waited >= milliseconds(cacheGracePeriod)) return undefined
  return plan()
    .waitFor(`the caches of ${unseenKinds.join(", ")}`)
    .requeueAfter("1s", "dependents of these kinds may have synced then")
}

/** Orphans all dependents, then the object is deleted. */
function orphan({ of, object, dependents }: Observed): Plan {
  const built = plan()
  const uids = [object.metadata.uid ?? ""]
  for (const dependent of dependents) {
    built.operation(withoutOwnersPatch(dependent, uids, `its owner ${of.kind} ${object.metadata.name} is deleted and leaves it behind`))
  }
  const reason = dependents.length === 0 ? "it has no dependents" : `all ${dependents.length} dependents have been orphaned`
  return built.nextStep().operation(withoutFinalizerPatch({ of, object }, orphanFinalizer, reason))
}

/** The dependents are deleted in their own reconciles: these see that the owner waits. */
function waitForDependents({ of, object, dependents }: Observed): Plan {
  const blocking = dependents.filter((dependent) => blocks(dependent, object.metadata.uid))
  if (blocking.length === 0) {
    return plan().operation(withoutFinalizerPatch({ of, object }, foregroundFinalizer, "no dependent blocks its deletion any more"))
  }
  const names = blocking.slice(0, 3).map((dependent) => `${dependent.of.kind} ${dependent.object.metadata.name}`)
  const others = blocking.length - names.length
  return plan().waitFor(`the deletion of ${names.join(", ")}${others > 0 ? ` and ${others} more` : ""}`)
}

function blocks({ object }: Item, uid: string | undefined): boolean {
  return object.metadata.ownerReferences?.some((reference) => reference.uid === uid && reference.blockOwnerDeletion) ?? false
}

/** Other owners remain: only the references to the deleted ones are removed. */
function keep({ of, object, owners }: Observed, solid: readonly Owner[]): PlanBuilder {
  // References are distinguished by uid alone: one that stands twice, once right and once wrong, would be lost whole.
  const solidUids = new Set(solid.map(({ reference }) => reference.uid))
  const dropped = owners.map(({ reference }) => reference).filter(({ uid }) => !solidUids.has(uid))
  if (dropped.length === 0) return plan().nothing(solid.map(described).join("; "))
  const uids = dropped.map(({ uid }) => uid)
  return plan().operation(
    withoutOwnersPatch({ of, object }, uids, `${dropped.map(named).join(" and ")} will not come back, others own it still`),
  )
}

function described({ reference, state }: Owner): string {
  return state === "unknown"
    ? `its owner ${named(reference)} is of a kind that the server does not have, or cannot own it: left alone`
    : `its owner ${named(reference)} is there`
}

function named({ kind, name }: OwnerReference): string {
  return `${kind} ${name}`
}

function requeueForOwners(built: PlanBuilder, { owners }: Observed): Plan {
  const unseen = owners.find((owner) => owner.unseen)
  if (unseen !== undefined) return built.requeueAfter(cacheGracePeriod, `the cache does not show its owner ${named(unseen.reference)} yet`)
  const unknown = owners.find(({ state }) => state === "unknown")
  return unknown === undefined
    ? built
    : built.requeueAfter(unknownKindRetryPeriod, `the server may know of ${named(unknown.reference)} then`)
}

/** Records an event about each reference to another namespace, in upstream's words. */
function recordMisplacedOwners(built: PlanBuilder, { object, owners }: Observed): PlanBuilder {
  const { namespace = "" } = object.metadata
  for (const { reference, elsewhere } of owners) {
    if (!elsewhere) continue
    const { apiVersion, kind, name, uid } = reference
    const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`
    built.event(object, "Warning", "OwnerRefInvalidNamespace", `ownerRef ${owner} does not exist in namespace "${namespace}"`)
  }
  return built
}

/**
 * A delete that was refused because the object changed meanwhile: if its owners are what they were, it was something else that changed, and
 * the object goes whatever it is. One whose status is written all the time would otherwise never be seen as it is.
 */
export function settle({ of, object }: Observed, results: readonly Result[]): Plan {
  const refused = results.map(refusedDelete).find((operation) => operation !== undefined)
  if (refused === undefined) return plan()
  const { uid, ownerReferences } = object.metadata
  const asSeen = [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path: "/metadata/ownerReferences", value: ownerReferences },
  ]
  const tolerate = ["NotFound"] as const
  return plan()
    .operation({
      do: "patch",
      of,
      object,
      type: "json",
      patch: asSeen,
      tolerate,
      reason: "only its owners matter, and they may not have changed",
    })
    .nextStep()
    .operation({ ...refused, options: { ...refused.options, preconditions: { uid } }, tolerate })
}

type DeleteOperation = Extract<KubeOperation, { readonly do: "delete" }>

function refusedDelete(result: Result): DeleteOperation | undefined {
  if (result.ok !== false || result.operation.do !== "delete" || !isConflict(result.error)) return undefined
  const operation = result.operation as DeleteOperation
  return operation.options?.preconditions?.resourceVersion === undefined ? undefined : operation
}
