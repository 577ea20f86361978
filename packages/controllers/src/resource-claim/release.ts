import { controllerOf, hasFinalizer, isPodTerminal, keyOf, withoutFinalizer } from "@pilothouse/api"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { type ResourceClaim, type ResourceClaimConsumerReference, resourceClaims } from "@pilothouse/api/resource/v1"
import { type Plan, type PlanBuilder, plan, type Reader, type Result } from "@pilothouse/runtime"

/** The finalizer that the scheduler puts on a claim before it allocates it. */
export const claimFinalizer = "resource.kubernetes.io/delete-protection"

export interface ObservedClaim {
  readonly claim: ResourceClaim
  /** Its reservations whose pods are there and not done, and those of other kinds. */
  readonly kept: readonly ResourceClaimConsumerReference[]
  /** Whether the pod that it was generated for needs it no longer. */
  readonly isOwnerDone: boolean
}

/** Reports whether a pod needs its claims no longer: it has finished, or is deleted before it had a node. */
export function isDone(pod: Pod): boolean {
  return isPodTerminal(pod) || (pod.metadata.deletionTimestamp !== undefined && !pod.spec?.nodeName)
}

/** Reads the claim, and the pods of its reservations: from the server those that the cache lacks. */
export async function observeClaim(key: string, read: Reader): Promise<ObservedClaim | undefined> {
  const seen = read.get(resourceClaims, key)
  if (seen === undefined) return undefined
  const live = await missingPods(seen, read)
  // Read again: the claim may have changed while the server answered.
  const claim = read.get(resourceClaims, key)
  if (claim === undefined) return undefined
  const { namespace = "" } = claim.metadata
  const needs = (reservation: ResourceClaimConsumerReference) => {
    if (reservation.resource !== "pods" || reservation.apiGroup) return true
    const pod = read.get(pods, `${namespace}/${reservation.name}`) ?? live.get(reservation.uid)
    return pod === undefined ? !live.has(reservation.uid) : pod.metadata.uid === reservation.uid && !isDone(pod)
  }
  return { claim, kept: (claim.status?.reservedFor ?? []).filter(needs), isOwnerDone: isOwnerDone(claim, read) }
}

/** A cache that lacks a pod may be behind: the server says whether it is there. A reservation that comes meanwhile stays until the next reconcile. */
async function missingPods({ metadata, status }: ResourceClaim, read: Reader): Promise<ReadonlyMap<string, Pod | undefined>> {
  const live = new Map<string, Pod | undefined>()
  for (const { resource, apiGroup, name, uid } of status?.reservedFor ?? []) {
    const key = keyOf({ metadata: { name, namespace: metadata.namespace } })
    if (resource === "pods" && !apiGroup && read.get(pods, key) === undefined) live.set(uid, await read.live(pods, key))
  }
  return live
}

/** An owner that is gone is the garbage collector's affair. */
function isOwnerDone(claim: ResourceClaim, read: Reader): boolean {
  const owner = controllerOf(claim)
  if (owner?.kind !== "Pod" || owner.apiVersion !== "v1") return false
  const pod = read.get(pods, `${claim.metadata.namespace}/${owner.name}`)
  return pod !== undefined && (pod.metadata.uid !== owner.uid || isDone(pod))
}

/** Whom the claim is not reserved for any more leaves it; without a reservation its devices are free, and a generated one goes with its pod. */
export function decideClaim(observed: ObservedClaim): Plan {
  const { claim, kept, isOwnerDone: isOver } = observed
  const { allocation, reservedFor = [] } = claim.status ?? {}
  const isFreed = becomesFree(observed)
  const built = plan()
  if (kept.length < reservedFor.length || (isFreed && allocation !== undefined)) release(built, observed, isFreed)
  else if (isFreed) built.update(withoutFinalizer(claim, claimFinalizer), "no pod has it reserved, and it is deleted")
  else if (isOver && kept.length === 0 && claim.metadata.deletionTimestamp === undefined) remove(built, claim)
  return built.steps.length > 0 ? built : built.nothing(`${kept.length} reservations, none is stale`)
}

/** Only the finalizer says that the scheduler allocated it; a claim that is neither released nor deleted keeps its devices. */
function becomesFree({ claim, kept }: ObservedClaim): boolean {
  if (kept.length > 0 || !hasFinalizer(claim, claimFinalizer)) return false
  return (claim.status?.reservedFor ?? []).length > 0 || claim.metadata.deletionTimestamp !== undefined
}

function release(built: PlanBuilder, { claim, kept }: ObservedClaim, isFreed: boolean): void {
  const { reservedFor: _gone, allocation, ...rest } = claim.status ?? {}
  const status = { ...rest, ...(!isFreed && allocation !== undefined && { allocation }), ...(kept.length > 0 && { reservedFor: kept }) }
  built.status(claim, status, isFreed ? "no pod uses it any more: its devices are free" : "pods that had it reserved need it no longer")
}

function remove(built: PlanBuilder, claim: ResourceClaim): void {
  const { uid } = claim.metadata
  built.delete(claim, "it was made for a pod that is done", { preconditions: { uid } })
}

/** Once the allocation is gone, removes the finalizer and deletes a claim whose pod is done. */
export function settleClaim(observed: ObservedClaim, results: readonly Result[]): Plan {
  const built = plan()
  const [written] = results
  if (written?.ok !== true || written.operation.do !== "status" || observed.kept.length > 0) return built
  const claim = written.object as ResourceClaim
  if (claim.status?.allocation === undefined && hasFinalizer(claim, claimFinalizer))
    built.update(withoutFinalizer(claim, claimFinalizer), "its devices are free: nothing holds it")
  if (observed.isOwnerDone && claim.metadata.deletionTimestamp === undefined) remove(built.nextStep(), claim)
  return built
}
