import { parseTime } from "@pilothouse/api"
import { type ResourceClaim, type ResourceSlice, resourceClaims, resourceSlices } from "@pilothouse/api/resource/v1"
import { type ResourcePoolStatusRequest, resourcePoolStatusRequests } from "@pilothouse/api/resource/v1alpha3"
import { type Controller, controller, index, type Plan, plan, type Reader, type ReconcileResult, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor } from "../shared/descriptor.ts"
import { counterFamily, createMetrics, exponentialBuckets, histogramFamily } from "../shared/metric-families.ts"
import { incompletePools, poolStatus } from "./pool-status.ts"

const name = "resourcepoolstatusrequest-controller"

/**
 * Answers ResourcePoolStatusRequests, each once: how many devices the pools of a driver have, and how many of them are allocated. Deletes a request an hour
 * after its answer, and after a day without one. A pool of which slices are missing is waited for.
 * Watches the requests and ResourceSlices; reads ResourceClaims; writes the status.
 */
export function resourcePoolStatusRequestController({ metrics }: { readonly metrics?: Metrics } = {}): Controller {
  return controller(name, {
    for: resourcePoolStatusRequests,
    predicate: ({ type }) => type !== "deleted",
    watches: [
      watch(resourceSlices, "a slice of its driver came or changed", ({ spec }, read) =>
        read.byIndex(openRequestsByDriver, spec.driver).map(({ metadata }) => metadata.name ?? ""),
      ),
    ],
    reads: [resourceClaims],
    indexes: [openRequestsByDriver],
    maxConcurrentReconciles: 1,
    observe,
    decide: (observed, { now }) => decide(observed, now),
    onReconciled: metrics && requestMetrics(metrics),
  })
}

const openRequestsByDriver = index(resourcePoolStatusRequests, "driver of an open request", ({ spec, status }) =>
  status === undefined ? [spec.driver] : [],
)

export interface Observed {
  readonly request: ResourcePoolStatusRequest
  readonly slices: readonly ResourceSlice[]
  readonly claims: readonly ResourceClaim[]
}

function observe(key: string, read: Reader): Observed | undefined {
  const request = read.get(resourcePoolStatusRequests, key)
  if (request === undefined) return undefined
  if (request.status !== undefined) return { request, slices: [], claims: [] }
  return { request, slices: read.list(resourceSlices), claims: read.list(resourceClaims) }
}

const hour = 3_600_000
const lifetimes = { answered: hour, open: 24 * hour }

/** Answers a request whose pools are complete, and deletes one whose time is over. */
export function decide({ request, slices, claims }: Observed, now: number): Plan {
  const left = timeLeft(request, now)
  if (left <= 0) {
    const reason = request.status === undefined ? "it was not answered within a day" : "it was answered an hour ago"
    return plan().operation({ do: "delete", object: request, tolerate: ["NotFound", "Conflict"], reason })
  }
  const built = plan().requeueAfter(left, "it is deleted then")
  if (request.status !== undefined) return built.nothing("it is answered")
  const status = poolStatus(request, slices, claims, now)
  const [incomplete] = incompletePools(status)
  if (incomplete !== undefined) return built.waitFor("all slices of its pools").nothing(incomplete.validationError)
  return built.status(request, status, "its pools are counted")
}

/** Milliseconds until the request is deleted. */
function timeLeft({ metadata, status }: ResourcePoolStatusRequest, now: number): number {
  const created = parseTime(metadata.creationTimestamp ?? "")
  if (status === undefined) return created + lifetimes.open - now
  const answered = status.conditions?.find(({ type }) => type === "Complete" || type === "Failed")?.lastTransitionTime
  return (answered === undefined ? created : parseTime(answered)) + lifetimes.answered - now
}

const subsystem = "resourcepoolstatusrequest_controller"

export const poolStatusFamilies = {
  processed: counterFamily(
    `${subsystem}_requests_processed_total`,
    ["driver_name"],
    "ResourcePoolStatusRequests that were answered, or failed",
  ),
  errors: counterFamily(`${subsystem}_request_processing_errors_total`, ["driver_name"], "Answers that could not be written"),
  seconds: histogramFamily(
    `${subsystem}_request_processing_duration_seconds`,
    ["driver_name"],
    "How long a ResourcePoolStatusRequest took",
    exponentialBuckets(0.001, 2, 15),
  ),
}

function requestMetrics(metrics: Metrics): (key: string, result: ReconcileResult<Observed>) => void {
  const { processed, errors, seconds } = createMetrics(metrics, poolStatusFamilies)
  return (_key, { observed, results, error, milliseconds }) => {
    if (observed === undefined || !results.some(({ operation }) => operation.do === "status")) return
    const labels = { driver_name: observed.request.spec.driver }
    processed.add(1, labels)
    if (error !== undefined) errors.add(1, labels)
    seconds.observe(milliseconds / 1000, labels)
  }
}

/** Off by default, as the kind is: a server without it would be asked for it for ever. */
export const resourcePoolStatusRequestDescriptor = descriptor({
  name,
  onByDefault: false,
  featureGate: { name: "DRAResourcePoolStatus", maturity: "alpha" },
  create: (_set, { metrics }) => resourcePoolStatusRequestController({ metrics }),
})
