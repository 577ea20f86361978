import { type FieldError, fieldError } from "@pilothouse/api"
import type { CertificateSigningRequest } from "@pilothouse/api/certificates/v1"
import { keep } from "./generic.ts"
import type { Special } from "./resource.ts"

/** Who asks is who came in, whatever the body says; what is asked for stays as it was when somebody looked at it. */
export const certificateSigningRequest: Special<CertificateSigningRequest> = {
  names: () => [],
  fields: { "spec.signerName": ({ spec }) => spec?.signerName ?? "" },
  prepareForCreate({ spec }, { identity }) {
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
  ],
}

/** The signature inside is for the signer to check; that it is a request at all is seen here. */
function requestErrors(request: string): readonly FieldError[] {
  const pem = Buffer.from(request, "base64").toString("latin1")
  if (/-----BEGIN CERTIFICATE REQUEST-----[\s\S]+-----END CERTIFICATE REQUEST-----/.test(pem)) return []
  return [fieldError.invalid("spec.request", request, "PEM block type must be CERTIFICATE REQUEST")]
}

function usageErrors(usages: readonly string[]): readonly FieldError[] {
  if (usages.length === 0) return [fieldError.required("spec.usages", "")]
  return usages.flatMap((usage, index) => (usages.indexOf(usage) < index ? [fieldError.duplicate(`spec.usages[${index}]`, usage)] : []))
}

function signerErrors(name: string): readonly FieldError[] {
  if (name === "") return [fieldError.required("spec.signerName", "")]
  if (name === "kubernetes.io/legacy-unknown") {
    return [fieldError.invalid("spec.signerName", name, "the legacy signerName is not allowed via this API version")]
  }
  const [domain = "", ...path] = name.split("/")
  if (path.length > 0 && domain.includes(".") && path.every((part) => part !== "")) return []
  const text = 'must be a fully qualified domain and path of the form "example.com/signer-name"'
  return [fieldError.invalid("spec.signerName", name, text)]
}
