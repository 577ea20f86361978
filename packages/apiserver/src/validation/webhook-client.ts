import { checkDns1035Label, checkDns1123Subdomain, checkPortNumber, type FieldError, fieldError } from "@pilothouse/api"
import { repeats } from "./field-rules.ts"
import { parseGoUrl } from "./go-url.ts"

/** The versions of AdmissionReview and ConversionReview that the server sends. */
export const reviewVersions: readonly string[] = ["v1", "v1beta1"]

/** Where a webhook is: a URL or a Service. */
export interface WebhookTarget {
  readonly url?: string
  readonly service?: {
    readonly name?: string
    readonly namespace?: string
    readonly path?: string
    readonly port?: number
  }
}

/** Returns what is wrong with the address of a webhook at a path. */
export function webhookTargetErrors({ url, service }: WebhookTarget, path: string): readonly FieldError[] {
  if ((url === undefined) === (service === undefined)) return [fieldError.required(path, "exactly one of url or service is required")]
  return url === undefined ? serviceErrors(service!, `${path}.service`) : urlErrors(url, `${path}.url`)
}

function urlErrors(text: string, path: string): readonly FieldError[] {
  const form = "; desired format: https://host[/path]"
  const url = parseGoUrl(text)
  if (typeof url === "string") return [fieldError.required(path, `url must be a valid URL: ${url}${form}`)]
  const { scheme, host, user, fragment, query } = url
  return [
    ...(scheme === "https" ? [] : [fieldError.invalid(path, scheme, `'https' is the only allowed URL scheme${form}`)]),
    ...(host === "" ? [fieldError.invalid(path, "", `host must be specified${form}`)] : []),
    ...(user === undefined ? [] : [fieldError.invalid(path, user, "user information is not permitted in the URL")]),
    ...(fragment === "" ? [] : [fieldError.invalid(path, fragment, "fragments are not permitted in the URL")]),
    ...(query === "" ? [] : [fieldError.invalid(path, query, "query parameters are not permitted in the URL")]),
  ]
}

/** Upstream confuses the two names: a missing namespace is reported at the name, and the other way round. */
function serviceErrors(
  { name, namespace, path: urlPath, port = 443 }: NonNullable<WebhookTarget["service"]>,
  path: string,
): readonly FieldError[] {
  const faults = checkPortNumber(port)
  return [
    ...((namespace ?? "") === "" ? [fieldError.required(`${path}.name`)] : []),
    ...((name ?? "") === "" ? [fieldError.required(`${path}.namespace`)] : []),
    ...(faults.length === 0 ? [] : [fieldError.invalid(`${path}.port`, port, `port is not valid: ${faults.join(", ")}`)]),
    ...urlPathErrors(urlPath ?? "", `${path}.path`),
  ]
}

/** Faults that are named of one path: each error shows all of it, so all faults of a long one would take quadratic time. */
const namedFaults = 100

function urlPathErrors(urlPath: string, field: string): readonly FieldError[] {
  if (urlPath === "" || urlPath === "/") return []
  if (urlPath === "//") return [fieldError.invalid(field, urlPath, "segment[0] may not be empty")]
  const segments = urlPath.slice(1).replace(/\/$/, "").split("/")
  const texts = segments.flatMap((segment, index) =>
    segment === "" ? [`segment[${index}] may not be empty`] : checkDns1123Subdomain(segment).map((text) => `segment[${index}]: ${text}`),
  )
  const all = [...(urlPath.startsWith("/") ? [] : ["must start with a '/'"]), ...texts]
  return all.slice(0, namedFaults).map((text) => fieldError.invalid(field, urlPath, text))
}

interface ReviewVersionOptions {
  readonly path: string
  /** Whether one of them must be a version that the server sends. */
  readonly requiresKnown: boolean
  /** Said of a list that is empty. */
  readonly whyRequired?: string
}

/** Returns what is wrong with the list of review versions that a webhook understands. */
export function reviewVersionErrors(
  versions: readonly string[],
  { path, requiresKnown, whyRequired }: ReviewVersionOptions,
): readonly FieldError[] {
  if (versions.length === 0) return [fieldError.required(path, whyRequired)]
  const again = repeats(versions)
  const errors = versions.flatMap((version, index) => {
    const texts = again[index] ? ["duplicate version"] : checkDns1035Label(version)
    return texts.map((text) => fieldError.invalid(`${path}[${index}]`, version, text))
  })
  if (!requiresKnown || versions.some((version) => reviewVersions.includes(version))) return errors
  return [...errors, fieldError.invalid(path, versions, `must include at least one of ${reviewVersions.join(", ")}`)]
}
