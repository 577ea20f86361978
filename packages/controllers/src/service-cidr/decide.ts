import { findCondition, formatTime, hasFinalizer, parseTime, withFinalizer, withoutFinalizer } from "@pilothouse/api"
import type { ServiceCIDR } from "@pilothouse/api/networking/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"

export const finalizer = "networking.k8s.io/service-cidr-finalizer"
/**
 * Milliseconds after which a new range that is Ready gets its finalizer and this controller's condition. The API server makes its own range Ready,
 * so that Services have addresses at once: two writes more at the start of each cluster would only make it later.
 */
const adoptionDelay = 2000
/** Milliseconds in which every API server notices that a range is deleted. */
const gracePeriod = 10_000
/** Addresses that no Service has are deleted by the API server some time after a minute: nothing that is watched says so. */
const orphanPeriod = 30_000

const ready = { status: "True", reason: "", message: "Kubernetes Service CIDR is ready" } as const
const terminating = {
  status: "False",
  reason: "Terminating",
  message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR",
} as const

/** Adds the finalizer and the condition Ready; of a deleted one, removes the finalizer when none of its addresses is lost with it. */
export function decide({ cidr, blockedBy }: Observed, { now }: DecideContext): Plan {
  const built = plan()
  if (cidr.metadata.deletionTimestamp === undefined) {
    const wait = adoptionWait(cidr, now)
    if (wait > 0) return built.requeueAfter(wait, "a new range has its finalizer then").nothing("the API server has just made it Ready")
    if (!hasFinalizer(cidr, finalizer))
      built.update(withFinalizer(cidr, finalizer), "a range with addresses in use must not be deleted").nextStep()
    return withReady(built, cidr, ready, now)
  }
  if (blockedBy === undefined) return release(built, cidr, now)
  built.waitFor(`the Service with the address ${blockedBy} to be deleted, or another ServiceCIDR to have it`)
  built.requeueAfter(orphanPeriod, "addresses without a Service may be gone then")
  return withReady(built, cidr, terminating, now)
}

/** Milliseconds until a new range of the API server is taken over; none where there is something to mend. */
function adoptionWait(cidr: ServiceCIDR, now: number): number {
  const { creationTimestamp } = cidr.metadata
  const isReady = findCondition(cidr.status?.conditions, "Ready")?.status === "True"
  if (creationTimestamp === undefined || !isReady || hasFinalizer(cidr, finalizer)) return 0
  return parseTime(creationTimestamp) + adoptionDelay - now
}

function release(built: PlanBuilder, cidr: ServiceCIDR, now: number): Plan {
  if (!hasFinalizer(cidr, finalizer)) return built.nothing("no finalizer of this controller holds it")
  const left = parseTime(cidr.metadata.deletionTimestamp ?? "") + gracePeriod - now
  if (left > 0)
    return built.requeueAfter(left, "every API server knows by then that the range is deleted").nothing("it was deleted just now")
  return built.update(withoutFinalizer(cidr, finalizer), "it is deleted, and no address is lost with it")
}

function withReady(built: PlanBuilder, cidr: ServiceCIDR, wanted: typeof ready | typeof terminating, now: number): Plan {
  const found = findCondition(cidr.status?.conditions, "Ready")
  const { status, reason, message } = wanted
  if (found?.status === status && (found.reason ?? "") === reason && found.message === message)
    return built.nothing("its condition says so")
  const { apiVersion, kind, metadata } = cidr
  const condition = { type: "Ready", status, reason, message, lastTransitionTime: formatTime(now) }
  const applied = { apiVersion, kind, metadata: { name: metadata.name }, status: { conditions: [condition] } }
  const why = status === "True" ? "Services may have addresses of it" : "it is deleted, and Services have addresses of it"
  return built.apply(applied, why, { force: true, subresource: "status" })
}

/** Reports a condition that could not be written. */
export function settle({ cidr }: Observed, results: readonly Result[]): Plan {
  const failed = results.some(({ ok, operation }) => ok === false && operation.do === "apply")
  if (!failed || cidr.metadata.deletionTimestamp !== undefined) return plan()
  return plan().event(cidr, "Warning", "KubernetesServiceCIDRError", "The ServiceCIDR Status can not be set to Ready=True")
}
