import { parseTime } from "@pilothouse/api"
import { type PodCertificateRequest, podCertificateRequests } from "@pilothouse/api/certificates/v1beta1"
import { type Controller, controller, type Plan, plan } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"

const name = "podcertificaterequest-cleaner-controller"

/**
 * Deletes PodCertificateRequests after 15 minutes, whatever became of them: a kubelet has read the answer to its request by then, or has sent another.
 * Each is enqueued when it comes and when its time is over, so that nothing is polled.
 */
export function podCertificateRequestCleanerController(): Controller {
  return controller(name, {
    for: podCertificateRequests,
    predicate: ({ type }) => type !== "deleted",
    maxConcurrentReconciles: 1,
    observe: (key, read) => read.get(podCertificateRequests, key),
    decide: (request, { now }) => decide(request, now),
  })
}

const lifetime = 15 * 60_000

/** Deletes a request whose time is over, and no other one of its name. */
export function decide(request: PodCertificateRequest, now: number): Plan {
  const left = parseTime(request.metadata.creationTimestamp ?? "") + lifetime - now
  const reason = "it was created 15 minutes ago"
  if (left <= 0) return plan().operation({ do: "delete", object: request, tolerate: ["NotFound", "Conflict"], reason })
  return plan().requeueAfter(left, reason).nothing("its time is not over")
}

/** Off by default, as the kind is. */
export const podCertificateRequestCleanerDescriptor = descriptor({
  name,
  onByDefault: false,
  featureGate: { name: "PodCertificateRequest", maturity: "beta" },
  create: () => podCertificateRequestCleanerController(),
})
