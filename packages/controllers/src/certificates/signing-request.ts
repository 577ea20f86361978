import type { CertificateSigningRequest } from "@pilothouse/api/certificates/v1"
import { type CertificateRequest, DerFault, parseCertificateRequest } from "@pilothouse/api/x509"
import { bucketLimiter, type ControllerSpec, exponentialLimiter, maxOf } from "@pilothouse/runtime"

/** Of the approving and the signing controller: from 200 ms to 1000 s for one key, and ten a second for all. */
export const requestBackoff: ControllerSpec<unknown>["backoff"] = (clock) =>
  maxOf(exponentialLimiter({ base: 200, max: 1_000_000 }), bucketLimiter(clock, { perSecond: 10, burst: 100 }))

/** Returns the request in an object, or what is wrong with it. */
export function requestIn({ metadata, spec }: CertificateSigningRequest): CertificateRequest | string {
  try {
    return parseCertificateRequest(Buffer.from(spec?.request ?? "", "base64").toString("latin1"))
  } catch (error) {
    if (error instanceof DerFault) return `unable to parse csr "${metadata.name}": ${error.message}`
    throw error
  }
}

/** Reports whether a condition is there. Failed counts where it is true, Approved and Denied always do, as in upstream. */
export function hasCondition({ status }: CertificateSigningRequest, type: "Approved" | "Denied" | "Failed"): boolean {
  return status?.conditions?.some((one) => one.type === type && (type !== "Failed" || (one.status ?? "True") === "True")) === true
}

export function isIssued({ status }: CertificateSigningRequest): boolean {
  return (status?.certificate ?? "") !== ""
}
