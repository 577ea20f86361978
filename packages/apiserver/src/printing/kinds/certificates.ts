import type { CertificateSigningRequest } from "@pilothouse/api/certificates/v1"
import type { ClusterTrustBundle, PodCertificateRequest } from "@pilothouse/api/certificates/v1beta1"
import { labelsText, none, or } from "../columns/cells.ts"
import { ageColumn, nameColumn, text } from "../columns/column.ts"
import { humanDuration } from "../columns/human-duration.ts"
import { type Printer, printer } from "../columns/printer.ts"

const certificateSigningRequest = printer<CertificateSigningRequest>(
  nameColumn,
  ageColumn,
  text("SignerName", ({ spec }) => or(spec.signerName, none)),
  text("Requestor", ({ spec }) => spec.username),
  text("RequestedDuration", ({ spec }) => (spec.expirationSeconds === undefined ? none : humanDuration(spec.expirationSeconds * 1000))),
  text("Condition", conditionText),
)

/** A denial outweighs an approval. */
function conditionText({ status }: CertificateSigningRequest): string {
  const has = (type: string) => status?.conditions?.some((condition) => condition.type === type) ?? false
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending"
  return `${decision}${has("Failed") ? ",Failed" : ""}${status?.certificate ? ",Issued" : ""}`
}

const clusterTrustBundle = printer<ClusterTrustBundle>(
  nameColumn,
  text("SignerName", ({ spec }) => or(spec.signerName, none)),
)

const podCertificateRequest = printer<PodCertificateRequest>(
  nameColumn,
  text("PodName", ({ spec }) => spec.podName),
  text("ServiceAccountName", ({ spec }) => spec.serviceAccountName),
  text("NodeName", ({ spec }) => spec.nodeName),
  text("SignerName", ({ spec }) => spec.signerName),
  text("State", ({ status }) => status?.conditions?.findLast(({ type }) => outcomes.includes(type))?.type ?? "Pending"),
  text("UnverifiedUserAnnotations", ({ spec }) => labelsText(spec.unverifiedUserAnnotations)),
)

const outcomes: readonly string[] = ["Issued", "Denied", "Failed"]

export const certificatePrinters: Readonly<Record<string, Printer<never>>> = {
  "certificates.k8s.io/CertificateSigningRequest": certificateSigningRequest,
  "certificates.k8s.io/ClusterTrustBundle": clusterTrustBundle,
  "certificates.k8s.io/PodCertificateRequest": podCertificateRequest,
}
