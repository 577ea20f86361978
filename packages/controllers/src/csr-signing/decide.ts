import { formatTime } from "@pilothouse/api"
import type { CertificateSigningRequest } from "@pilothouse/api/certificates/v1"
import type { CertificateAuthority, CertificateRequest } from "@pilothouse/api/x509"
import { type Plan, plan } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"
import { clientUsageFault, kubeletClientFault, kubeletServingFault, signerNames } from "../certificates/kubelet-request.ts"
import { hasCondition, isIssued, requestIn } from "../certificates/signing-request.ts"
import type { Signers } from "../shared/descriptor.ts"

export interface SigningContext {
  readonly now: number
  readonly serialNumber: () => Uint8Array
  readonly signers: Signers
  /** The longest life of a certificate. */
  readonly duration: number
}

/** Signs an approved request, or says in its status why it is not signed. */
export function decide(request: CertificateSigningRequest, context: SigningContext): Plan {
  if (isIssued(request)) return plan().nothing("it has its certificate")
  if (!isApproved(request)) return plan().nothing("it is not approved")
  if (hasCondition(request, "Failed")) return plan().nothing("it has failed")
  const { signerName, usages = [], expirationSeconds } = request.spec
  const signer = Object.hasOwn(context.signers, signerName) ? context.signers[signerName] : undefined
  const faultOf = rules[signerName]
  if (signer === undefined || faultOf === undefined) return plan().nothing(`no authority here signs for ${signerName}`)
  const parsed = requestIn(request)
  if (typeof parsed === "string") return plan().nothing(parsed, { stuck: true })
  const fault = faultOf(parsed, usages)
  if (fault !== undefined) return fail(request, fault, context.now)
  const { notBefore, notAfter } = validity(lifetime(expirationSeconds, context.duration), context.now, signer())
  const { subject, names, publicKey } = parsed
  const certificate = signer().sign({ subject, names, publicKey, usages, notBefore, notAfter, serialNumber: context.serialNumber() })
  const status = { ...request.status, certificate: Buffer.from(certificate).toString("base64") }
  return plan().status(request, status, `it is approved, and ${signerName} signs it until ${formatTime(notAfter)}`)
}

/** A request that is denied too is not signed. */
function isApproved(request: CertificateSigningRequest): boolean {
  return hasCondition(request, "Approved") && !hasCondition(request, "Denied")
}

/** What each signer refuses. */
const rules: Readonly<Record<string, (request: CertificateRequest, usages: readonly string[]) => string | undefined>> = {
  [signerNames.kubeletServing]: kubeletServingFault,
  [signerNames.kubeletClient]: kubeletClientFault,
  [signerNames.apiServerClient]: (_request, usages) => clientUsageFault(usages),
  [signerNames.legacyUnknown]: () => undefined,
}

function fail(request: CertificateSigningRequest, message: string, now: number): Plan {
  const failed = { type: "Failed", status: "True", reason: "SignerValidationFailure", message, lastUpdateTime: formatTime(now) }
  const status = { ...request.status, conditions: [...(request.status?.conditions ?? []), failed] }
  return plan().status(request, status, `its signer refuses it: ${message}`)
}

const minute = 60_000
const backdate = 5 * minute
/** Shorter certificates end when the request says; five minutes are one percent of it. */
const short = 8 * 60 * minute

/** Returns how long a certificate lasts, in milliseconds: as requested, between ten minutes and the longest life. */
export function lifetime(expirationSeconds: number | undefined, longest: number): number {
  if (expirationSeconds === undefined) return longest
  const requested = expirationSeconds * 1000
  return requested > longest ? longest : Math.max(requested, 10 * minute)
}

/** Returns from when to when a certificate is valid: from five minutes ago, because clocks differ, and no longer than its authority. */
export function validity(
  life: number,
  now: number,
  { notAfter: end }: Pick<CertificateAuthority, "notAfter">,
): { readonly notBefore: number; readonly notAfter: number } {
  const notBefore = now - backdate
  if (notBefore >= end) throw expired(`the signer has expired: NotAfter=${formatTime(end)}`)
  if (now >= end) throw expired(`refusing to sign a certificate that expired in the past: NotAfter=${formatTime(end)}`)
  return { notBefore, notAfter: Math.min(end, life < short ? now + life : now + life - backdate) }
}

function expired(message: string): PilothouseError {
  return new PilothouseError("INVALID", `error auto signing csr: ${message}`)
}
