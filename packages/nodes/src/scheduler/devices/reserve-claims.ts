import { formatTime, withFinalizer } from "@pilothouse/api"
import type { Node, Pod } from "@pilothouse/api/core/v1"
import type { AllocationResult, ResourceClaim } from "@pilothouse/api/resource/v1"
import { type CustomOperation, type Executor, executor, type PlanBuilder, type Result } from "@pilothouse/runtime"
import type { ClaimAllocations } from "./claim-allocations.ts"
import { type DevicesView, isAvailableOn, isReservedFor } from "./devices-view.ts"

/** Nothing deletes a claim with devices under its pods: the resourceclaim-controller removes it. */
const finalizer = "resource.kubernetes.io/delete-protection"

/**
 * Writes the devices of the pod's claims, and that it uses them, before it is bound. The finalizer is written at the version that was seen: a claim that
 * changed since is tried again. What follows it names the claim's uid only; the server refuses to replace an allocation.
 */
export function reserveClaims(built: PlanBuilder, pod: Pod, view: DevicesView, node: Node, now: number): void {
  const pending = view.claims.filter((claim) => !isReservedFor(claim, pod))
  if (pending.length === 0) return
  const found = view.allocationsOn(node) ?? []
  const where = node.metadata.name
  for (const claim of pending.filter(isNew))
    if (!claim.metadata.finalizers?.includes(finalizer)) built.update(withFinalizer(claim, finalizer), `it gets devices on ${where}`)
  built.nextStep()
  for (const claim of pending) {
    const allocation = isNew(claim) ? found[view.unallocated.indexOf(claim)] : undefined
    const reservedFor = [
      ...(claim.status?.reservedFor ?? []),
      { resource: "pods", name: pod.metadata.name ?? "", uid: pod.metadata.uid ?? "" },
    ]
    if (allocation === undefined) built.status(claim, { ...claim.status, reservedFor }, `the pod uses its devices on ${where}`)
    else
      built.patch(claim, allocated(claim, allocation, reservedFor, now), `these devices on ${where} are its own`, { subresource: "status" })
  }
  built.nextStep()
}

function isNew({ status }: ResourceClaim): boolean {
  return status?.allocation === undefined
}

function allocated(
  { metadata }: ResourceClaim,
  allocation: AllocationResult,
  reservedFor: NonNullable<ResourceClaim["status"]>["reservedFor"],
  now: number,
) {
  return { metadata: { uid: metadata.uid }, status: { allocation: { ...allocation, allocationTimestamp: formatTime(now) }, reservedFor } }
}

/**
 * Frees one claim whose devices no node that was refused can use, and that no other pod has: other devices may do. As upstream, one at a time.
 * Returns whether there was one.
 */
export function freeClaim(built: PlanBuilder, pod: Pod, { claims }: DevicesView, refused: Iterable<Node>): boolean {
  const nodes = [...refused]
  const idle = claims.find(
    (claim) =>
      claim.status?.allocation !== undefined &&
      (claim.status.reservedFor ?? []).every(({ uid }) => uid === pod.metadata.uid) &&
      nodes.some((node) => !isAvailableOn(claim, node)),
  )
  if (idle === undefined) return false
  built.status(idle, {}, "its devices are where the pod cannot go, and no other pod has them")
  return true
}

/** Counts devices as taken before the cache shows it. */
interface AssumeClaim extends CustomOperation {
  readonly do: "assume-claim"
  readonly claim: ResourceClaim
}

/** The operations that count what a plan wrote. */
export function assumeClaims(results: readonly Result[]): readonly AssumeClaim[] {
  return results.flatMap((result) => {
    const object = result.ok === true ? result.object : undefined
    if (object?.kind !== "ResourceClaim") return []
    const claim = object as ResourceClaim
    const to = `${claim.metadata.namespace}/${claim.metadata.name}`
    return [{ do: "assume-claim", to, reason: "the cache may not show its devices yet", claim }]
  })
}

export function claimExecutors(allocations: ClaimAllocations): readonly Executor[] {
  return [executor<AssumeClaim>("assume-claim", async ({ claim }) => allocations.assume(claim))]
}
