import { parseTime } from "@pilothouse/api"
import { type CertificateSigningRequest, certificateSigningRequests } from "@pilothouse/api/certificates/v1"
import { firstPemBlock, parseCertificate } from "@pilothouse/api/x509"
import { type Controller, controller, type Plan, plan } from "@pilothouse/runtime"
import { isIssued } from "../certificates/signing-request.ts"
import { descriptor } from "../shared/descriptor.ts"

/**
 * Deletes CertificateSigningRequests that have served: issued, denied or failed ones after an hour, undecided and unsigned ones after a day, and those
 * whose certificate has expired. Each is enqueued when it changes and when its time is over, so that nothing is polled.
 */
export function csrCleanerController(): Controller {
  return controller("certificatesigningrequest-cleaner-controller", {
    for: certificateSigningRequests,
    predicate: ({ type }) => type !== "deleted",
    maxConcurrentReconciles: 1,
    observe: (key, read) => read.get(certificateSigningRequests, key),
    decide: (request, { now }) => decide(request, now),
  })
}

const hour = 3_600_000
const day = 24 * hour

interface Deadline {
  /** Milliseconds after which it goes. */
  readonly at: number
  readonly reason: string
}

/** Deletes a request after the first of its deadlines. */
export function decide(request: CertificateSigningRequest, now: number): Plan {
  const [first] = deadlines(request).sort((one, other) => one.at - other.at)
  if (first === undefined) return plan().nothing("nothing says when its time is over")
  if (now > first.at) return plan().operation({ do: "delete", object: request, tolerate: ["NotFound", "Conflict"], reason: first.reason })
  return plan()
    .requeueAfter(first.at - now + 1, first.reason)
    .nothing("its time is not over")
}

function deadlines(request: CertificateSigningRequest): Deadline[] {
  const { conditions = [] } = request.status ?? {}
  const after = (time: string | undefined, duration: number, reason: string): readonly Deadline[] =>
    time === undefined ? [] : [{ at: parseTime(time) + duration, reason }]
  if (conditions.length === 0) return [...after(request.metadata.creationTimestamp, day, "it was not decided for a day")]
  return conditions.flatMap(({ type, lastUpdateTime }) => {
    if (type === "Denied") return after(lastUpdateTime, hour, "it was denied an hour ago")
    if (type === "Failed") return after(lastUpdateTime, hour, "it failed an hour ago")
    if (type !== "Approved") return []
    if (!isIssued(request)) return after(lastUpdateTime, day, "it was approved and not signed for a day")
    return [...after(lastUpdateTime, hour, "its certificate was issued an hour ago"), ...expiry(request)]
  })
}

function expiry({ status }: CertificateSigningRequest): readonly Deadline[] {
  const block = firstPemBlock(Buffer.from(status?.certificate ?? "", "base64").toString("latin1"))
  if (block === undefined) return []
  try {
    return [{ at: parseCertificate(block.bytes).notAfter, reason: "its certificate has expired" }]
  } catch {
    // A signer may have written anything; the other deadlines hold for it.
    return []
  }
}

export const csrCleanerDescriptor = descriptor({
  name: "certificatesigningrequest-cleaner-controller",
  aliases: ["csrcleaner"],
  create: () => csrCleanerController(),
})
