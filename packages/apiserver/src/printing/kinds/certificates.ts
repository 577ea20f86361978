import type { CertificateSigningRequest } from "@pilothouse/api/certificates/v1"
import { none, or } from "../columns/cells.ts"
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

export const certificatePrinters: Readonly<Record<string, Printer<never>>> = {
  "certificates.k8s.io/CertificateSigningRequest": certificateSigningRequest,
}
