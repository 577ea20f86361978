import { isControlledBy } from "@pilothouse/api"
import { type Node, type Pod, type PodResourceClaim, pods } from "@pilothouse/api/core/v1"
import { type AllocationResult, deviceClasses, type ResourceClaim, resourceClaims, resourceSlices } from "@pilothouse/api/resource/v1"
import { index, type Reader } from "@pilothouse/runtime"
import { isUnplaced } from "../pod/waiting-pods.ts"
import { allocate } from "./allocate.ts"
import type { ClaimAllocations } from "./claim-allocations.ts"
import { matchesSelector, newestSlices, poolsFor } from "./pools.ts"
import { alternativesOf, DeviceError, keyOf } from "./requests.ts"
import { SearchBudget } from "./search-budget.ts"
import type { SelectorLibrary } from "./selector-library.ts"

/** The ResourceClaims of a pod, and what can be had for them. */
export interface DevicesView {
  readonly claims: readonly ResourceClaim[]
  /** Those that have no devices yet. */
  readonly unallocated: readonly ResourceClaim[]
  /** The pod is not tried before this is over: a claim of it is not there, or goes away. */
  readonly waitsFor?: string
  /** Why no node will do, whatever it has. */
  readonly blocked?: string
  /** Devices on the node for every claim that has none, in their order; undefined: there are not enough. Throws a DeviceError. */
  allocationsOn(node: Node): readonly AllocationResult[] | undefined
}

/** What the view is made from, besides the caches. */
export interface DeviceState {
  readonly allocations: ClaimAllocations
  readonly library: SelectorLibrary
}

/** Waiting pods by the names of their ResourceClaims. */
export const waitingByResourceClaim = index(pods, "waiting-by-resource-claim", (pod) =>
  isUnplaced(pod)
    ? (pod.spec?.resourceClaims ?? []).flatMap((entry) => claimName(pod, entry) || []).map((name) => `${pod.metadata.namespace}/${name}`)
    : [],
)

/** Undefined where none was made yet, "" where none is needed. */
function claimName({ status }: Pod, { name, resourceClaimName }: PodResourceClaim): string | undefined {
  if (resourceClaimName !== undefined) return resourceClaimName
  const recorded = status?.resourceClaimStatuses?.find((one) => one.name === name)
  return recorded === undefined ? undefined : (recorded.resourceClaimName ?? "")
}

/** As many pods as can use a claim at once. */
const maxReservations = 256

/** Reports whether devices are to be found for the pod: what selects them has to be loaded before. */
export function needsDevices(pod: Pod, read: Reader): boolean {
  const view = claimsOf(pod, read)
  return "claims" in view && view.claims.some(({ status }) => status?.allocation === undefined)
}

/** Observes the devices for the claims of a pod; undefined for a pod without claims, which is almost every one. */
export function observeDevices(pod: Pod, read: Reader, { allocations, library }: DeviceState): DevicesView | undefined {
  if ((pod.spec?.resourceClaims ?? []).length === 0) return undefined
  const nowhere = { claims: [], unallocated: [], allocationsOn: () => undefined }
  const found = claimsOf(pod, read)
  if ("waitsFor" in found) return { ...nowhere, waitsFor: found.waitsFor }
  const { claims } = found
  const unallocated = claims.filter(({ status }) => status?.allocation === undefined)
  const classOf = (name: string) => read.get(deviceClasses, name)
  const blocked = whyBlocked(pod, claims, allocations) ?? faultOf(() => unallocated.forEach((claim) => void alternativesOf(claim, classOf)))
  if (blocked !== undefined || unallocated.length === 0) return { claims, unallocated, blocked, allocationsOn: () => [] }
  const pools = newestSlices(read.list(resourceSlices))
  const budget = new SearchBudget(library.selects.bind(library))
  const known = new Map<string, readonly AllocationResult[] | undefined>()
  return {
    claims,
    unallocated,
    allocationsOn(node) {
      const name = node.metadata.name ?? ""
      if (!known.has(name))
        known.set(name, allocate({ node, pools: poolsFor(node, pools), claims: unallocated, inUse: allocations, classOf, budget }))
      return known.get(name)
    },
  }
}

function claimsOf(pod: Pod, read: Reader): { readonly claims: readonly ResourceClaim[] } | { readonly waitsFor: string } {
  const claims: ResourceClaim[] = []
  for (const entry of pod.spec?.resourceClaims ?? []) {
    const name = claimName(pod, entry)
    if (name === "") continue
    if (name === undefined) return { waitsFor: `pod "${pod.metadata.namespace}/${pod.metadata.name}": ResourceClaim not created yet` }
    const claim = read.get(resourceClaims, `${pod.metadata.namespace}/${name}`)
    if (claim === undefined) return { waitsFor: `resourceclaim.resource.k8s.io "${name}" not found` }
    if (claim.metadata.deletionTimestamp !== undefined) return { waitsFor: `resourceclaim "${name}" is being deleted` }
    if (entry.resourceClaimName === undefined && !isControlledBy(claim, pod))
      return {
        waitsFor: `ResourceClaim ${keyOf(claim)} was not created for pod ${pod.metadata.namespace}/${pod.metadata.name} (pod is not owner)`,
      }
    claims.push(claim)
  }
  return { claims }
}

function whyBlocked(pod: Pod, claims: readonly ResourceClaim[], allocations: ClaimAllocations): string | undefined {
  const full = claims.some((claim) => (claim.status?.reservedFor ?? []).length >= maxReservations && !isReservedFor(claim, pod))
  if (full) return "resourceclaim in use"
  const early = claims.find(({ metadata, status }) => status?.allocation === undefined && allocations.isAssumed(metadata.uid ?? ""))
  return early && `resource claim ${keyOf(early)} is in the process of being allocated`
}

function faultOf(work: () => void): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof DeviceError) return error.message
    throw error
  }
}

export function isReservedFor({ status }: ResourceClaim, { metadata }: Pod): boolean {
  return (status?.reservedFor ?? []).some(({ uid }) => uid === metadata.uid)
}

/** Reports whether the devices that the claim has can be used on the node. */
export function isAvailableOn({ status }: ResourceClaim, node: Node): boolean {
  const selector = status?.allocation?.nodeSelector
  return selector === undefined || matchesSelector(selector, node)
}
