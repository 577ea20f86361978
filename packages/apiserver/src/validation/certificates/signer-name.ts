import { checkDns1123Label, checkDns1123Subdomain, type FieldError, fieldError } from "@pilothouse/api"

const maxDomain = 253
/** A signer of an object is named after it: its namespace, a dot and its name. */
const maxPath = 253 + 63 + 1

/** Validates the name of a signer: "example.com/signer". */
export function signerNameErrors(name: string, field: string): readonly FieldError[] {
  if (name === "") return [fieldError.required(field)]
  const [domain = "", path, ...more] = name.split("/")
  if (path === undefined || more.length > 0) {
    return [fieldError.invalid(field, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")]
  }
  return [
    ...(domain.length > maxDomain ? [fieldError.tooLong(field, maxDomain)] : []),
    ...partErrors(domain, checkDns1123Label, field),
    ...(domain.includes(".") ? [] : [fieldError.invalid(field, domain, "should be a domain with at least two segments separated by dots")]),
    ...partErrors(path, checkDns1123Subdomain, field),
    ...(name.length > maxDomain + maxPath + 1 ? [fieldError.tooLong(field, maxDomain + maxPath + 1)] : []),
  ]
}

/** Of the first wrong label alone: the others are wrong in the same way. */
function partErrors(part: string, check: (label: string) => readonly string[], field: string): readonly FieldError[] {
  for (const label of part.split(".")) {
    const texts = check(label)
    if (texts.length > 0) return texts.map((text) => fieldError.invalid(field, part, `validating label ${JSON.stringify(label)}: ${text}`))
  }
  return []
}

/** Reports whether a signer is one of Kubernetes' own, whose certificates last a day at most. */
export function isKubernetesSigner(name: string): boolean {
  const [domain = ""] = name.split("/")
  return domain === "kubernetes.io" || domain.endsWith(".kubernetes.io")
}

const hour = 3600
const day = 24 * hour
const kubernetesLongest = day
const longest = 91 * day

/** How long a pod's certificate of a signer may last, in seconds. */
export function lifetimeBounds(signerName: string): { readonly min: number; readonly max: number } {
  return { min: hour, max: isKubernetesSigner(signerName) ? kubernetesLongest : longest }
}
