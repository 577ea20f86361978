import { type FieldError, fieldError } from "@pilothouse/api"
import type { CertificateSigningRequest } from "@pilothouse/api/certificates/v1"
import type { Draft } from "../../body/draft.ts"
import { certificateRequestFault } from "../../validation/certificate-request.ts"
import { signerNameErrors } from "../../validation/certificates/signer-name.ts"
import { repeats } from "../../validation/field-rules.ts"
import { keep } from "../generic.ts"
import type { ResourceStrategy } from "../resource.ts"

/** The requestor is the authenticated user, whatever the body says; the spec is immutable, so that an approver approves what it has seen. */
export const certificateSigningRequest: ResourceStrategy<CertificateSigningRequest> = {
  names: () => [],
  fields: { "spec.signerName": ({ spec }) => spec?.signerName ?? "" },
  prepareForCreate(object, { identity }) {
    object.status = {}
    const { spec } = object
    if (spec === undefined) return
    for (const field of ["username", "uid", "groups", "extra"] as const) delete spec[field]
    spec.username = identity.name
    if (identity.uid !== undefined) spec.uid = identity.uid
    spec.groups = [...identity.groups]
    if (identity.extra) spec.extra = Object.fromEntries(Object.entries(identity.extra).map(([name, values]) => [name, [...values]]))
  },
  prepareForUpdate(object, old) {
    keep(object, old, "spec")
  },
  validate: ({ spec }) => [
    ...requestErrors(spec?.request ?? ""),
    ...usageErrors(spec?.usages ?? []),
    ...signerErrors(spec?.signerName ?? ""),
    ...expirationErrors(spec?.expirationSeconds),
  ],
  prepareForStatusUpdate(object, old) {
    for (const type of decisions) keepDecision(object, old, type)
  },
  validateStatusUpdate: ({ status }, { status: old }) => [
    ...withdrawnErrors(status?.conditions, old?.conditions),
    ...decisionErrors(status?.conditions, old?.conditions),
    ...certificateErrors(status?.certificate, old?.certificate),
  ],
}

type Conditions = NonNullable<CertificateSigningRequest["status"]>["conditions"]

/** What the subresource approval alone writes, with its own right. */
const decisions: readonly string[] = ["Approved", "Denied"]

/** A write of the status leaves a decision as it was made. One that has more or fewer of them is refused. */
function keepDecision({ status }: Draft<CertificateSigningRequest>, { status: old }: CertificateSigningRequest, type: string): void {
  const before = (old?.conditions ?? []).filter((condition) => condition.type === type)
  if (status?.conditions === undefined || count(status.conditions, type) !== before.length) return
  const kept = before.values()
  status.conditions = status.conditions.map((condition) => (condition.type === type ? { ...kept.next().value! } : condition))
}

function count(list: readonly { readonly type: string }[], type: string): number {
  return list.filter((condition) => condition.type === type).length
}

function decisionErrors(conditions: Conditions = [], old: Conditions = []): readonly FieldError[] {
  return decisions
    .filter((type) => count(conditions, type) > count(old, type))
    .map((type) => fieldError.forbidden("status.conditions", `updates may not add a condition of type "${type}"`))
}

function certificateErrors(certificate = "", old = ""): readonly FieldError[] {
  if (old === "" || certificate === old) return []
  return [fieldError.forbidden("status.certificate", "updates may not modify existing certificate content")]
}

/** What was decided stays decided. */
function withdrawnErrors(conditions: Conditions = [], old: Conditions = []): readonly FieldError[] {
  return [...decisions, "Failed"]
    .filter((type) => count(conditions, type) < count(old, type))
    .map((type) => fieldError.forbidden("status.conditions", `updates may not remove a condition of type "${type}"`))
}

/** A request is signed with the key that it is about: a client cannot request a certificate for the key of another. */
function requestErrors(request: string): readonly FieldError[] {
  const fault = certificateRequestFault(Buffer.from(request, "base64").toString("latin1"))
  return fault === undefined ? [] : [fieldError.invalid("spec.request", request === "" ? null : request, fault)]
}

const supportedUsages: readonly string[] = [
  "any",
  "cert sign",
  "client auth",
  "code signing",
  "content commitment",
  "crl sign",
  "data encipherment",
  "decipher only",
  "digital signature",
  "email protection",
  "encipher only",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "key agreement",
  "key encipherment",
  "microsoft sgc",
  "netscape sgc",
  "ocsp signing",
  "s/mime",
  "server auth",
  "signing",
  "timestamping",
]

function usageErrors(usages: readonly string[]): readonly FieldError[] {
  if (usages.length === 0) return [fieldError.required("spec.usages", "")]
  const again = repeats(usages)
  return [
    ...usages.flatMap((usage, index) =>
      supportedUsages.includes(usage) ? [] : [fieldError.notSupported(`spec.usages[${index}]`, usage, supportedUsages)],
    ),
    ...usages.flatMap((usage, index) => (again[index] ? [fieldError.duplicate(`spec.usages[${index}]`, usage)] : [])),
  ]
}

const shortest = 600

function expirationErrors(seconds: number | undefined): readonly FieldError[] {
  if (seconds === undefined || seconds >= shortest) return []
  const text = "may not specify a duration less than 600 seconds (10 minutes)"
  return [fieldError.invalid("spec.expirationSeconds", seconds, text)]
}

function signerErrors(name: string): readonly FieldError[] {
  if (name !== "kubernetes.io/legacy-unknown") return signerNameErrors(name, "spec.signerName")
  return [fieldError.invalid("spec.signerName", name, "the legacy signerName is not allowed via this API version")]
}
