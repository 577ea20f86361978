import { X509Certificate } from "node:crypto"
import { checkDns1035Label, checkDns1123Subdomain, checkPortNumber, type FieldError, fieldError } from "@pilothouse/api"
import type { CustomResourceConversion, ServiceReference, WebhookClientConfig } from "@pilothouse/api/apiextensions/v1"
import { oneOf, repeats } from "../../validation/field-rules.ts"
import { parseGoUrl } from "./go-url.ts"

/** The versions of ConversionReview that the server sends. */
const reviewVersions: readonly string[] = ["v1", "v1beta1"]
const strategies: readonly string[] = ["None", "Webhook"]

/** What a definition that was stored under older rules may still have. */
export interface ConversionOptions {
  readonly requiresKnownReviewVersion: boolean
  readonly allowsInvalidCaBundle: boolean
}

/** Returns what is wrong with spec.conversion, with upstream's paths: they are those of v1beta1. */
export function conversionErrors(
  conversion: CustomResourceConversion | undefined,
  options: ConversionOptions,
  path: string,
): readonly FieldError[] {
  if (conversion === undefined) return []
  const { strategy, webhook } = conversion
  const [clientConfig, versions] = [webhook?.clientConfig, webhook?.conversionReviewVersions ?? []]
  const errors = oneOf(strategy, strategies, `${path}.strategy`)
  if (strategy === "Webhook") {
    return [
      ...errors,
      ...clientConfigErrors(clientConfig, options, `${path}.webhookClientConfig`),
      ...reviewVersionErrors(versions, options, `${path}.conversionReviewVersions`),
    ]
  }
  const unused = "should not be set when strategy is not set to Webhook"
  return [
    ...errors,
    ...(clientConfig === undefined ? [] : [fieldError.forbidden(`${path}.webhookClientConfig`, unused)]),
    ...(versions.length === 0 ? [] : [fieldError.forbidden(`${path}.conversionReviewVersions`, unused)]),
  ]
}

/** Whether a list holds a version that the server sends, or nothing at all. */
export function hasKnownReviewVersion(conversion: CustomResourceConversion | undefined): boolean {
  const versions = conversion?.webhook?.conversionReviewVersions ?? []
  return versions.length === 0 || versions.some((version) => reviewVersions.includes(version))
}

/** Why the certificates of a conversion webhook cannot be read; undefined where they can, or where there are none. */
export function caBundleFault(conversion: CustomResourceConversion | undefined): string | undefined {
  const bundle = conversion?.webhook?.clientConfig?.caBundle ?? ""
  if (bundle === "") return undefined
  return pemFault(Buffer.from(bundle, "base64").toString("latin1"))
}

function clientConfigErrors(
  clientConfig: WebhookClientConfig | undefined,
  { allowsInvalidCaBundle }: ConversionOptions,
  path: string,
): readonly FieldError[] {
  if (clientConfig === undefined) return [fieldError.required(path, "required when strategy is set to Webhook")]
  const { caBundle = "" } = clientConfig
  const fault = allowsInvalidCaBundle
    ? undefined
    : caBundleFault({ strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: [] } })
  return [...targetErrors(clientConfig, path), ...(fault === undefined ? [] : [fieldError.invalid(`${path}.caBundle`, caBundle, fault)])]
}

function targetErrors({ url, service }: WebhookClientConfig, path: string): readonly FieldError[] {
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
function serviceErrors({ name, namespace, path: urlPath, port = 443 }: ServiceReference, path: string): readonly FieldError[] {
  const faults = checkPortNumber(port)
  return [
    ...((namespace ?? "") === "" ? [fieldError.required(`${path}.name`)] : []),
    ...((name ?? "") === "" ? [fieldError.required(`${path}.namespace`)] : []),
    ...(faults.length === 0 ? [] : [fieldError.invalid(`${path}.port`, port, `port is not valid: ${faults.join(", ")}`)]),
    ...urlPathErrors(urlPath ?? "", `${path}.path`),
  ]
}

function urlPathErrors(urlPath: string, field: string): readonly FieldError[] {
  if (urlPath === "" || urlPath === "/") return []
  if (urlPath === "//") return [fieldError.invalid(field, urlPath, "segment[0] may not be empty")]
  const segments = urlPath.slice(1).replace(/\/$/, "").split("/")
  const texts = segments.flatMap((segment, index) =>
    segment === "" ? [`segment[${index}] may not be empty`] : checkDns1123Subdomain(segment).map((text) => `segment[${index}]: ${text}`),
  )
  return [...(urlPath.startsWith("/") ? [] : ["must start with a '/'"]), ...texts].map((text) => fieldError.invalid(field, urlPath, text))
}

function reviewVersionErrors(
  versions: readonly string[],
  { requiresKnownReviewVersion }: ConversionOptions,
  path: string,
): readonly FieldError[] {
  if (versions.length === 0) return [fieldError.required(path)]
  const again = repeats(versions)
  const errors = versions.flatMap((version, index) => {
    const texts = again[index] ? ["duplicate version"] : checkDns1035Label(version)
    return texts.map((text) => fieldError.invalid(`${path}[${index}]`, version, text))
  })
  if (!requiresKnownReviewVersion || versions.some((version) => reviewVersions.includes(version))) return errors
  return [...errors, fieldError.invalid(path, versions, `must include at least one of ${reviewVersions.join(", ")}`)]
}

/** Blocks of another type, and those with headers, are passed over; one certificate that can be read is enough. */
function pemFault(pem: string): string | undefined {
  const blocks = pemBlocks(pem)
  const certificates = blocks.filter(({ type, body }) => type === "CERTIFICATE" && !body.includes(":"))
  if (certificates.some(({ text }) => isCertificate(text))) return undefined
  if (blocks.length === 0) return "unable to load root certificates: unable to parse bytes as PEM block"
  if (certificates.length === 0) return "unable to load root certificates: no valid certificate authority data seen"
  return "unable to load root certificates: failed to parse certificate: x509: malformed certificate"
}

interface PemBlock {
  readonly type: string
  readonly body: string
  readonly text: string
}

/** Text that is no block, and a block whose end names another type, are passed over. */
function pemBlocks(pem: string): readonly PemBlock[] {
  const [, ...parts] = pem.split("-----BEGIN ")
  return parts.flatMap((part) => {
    const [type = "", rest = ""] = splitAt(part, "-----")
    const end = `-----END ${type}-----`
    const [body, after] = splitAt(rest, end)
    const isWhole = after !== undefined && /^\r?\n/.test(body ?? "") && !body!.includes("-")
    return isWhole ? [{ type, body: body!, text: `-----BEGIN ${type}-----${body}${end}` }] : []
  })
}

/** Returns what stands before and behind the first place of a mark; without the mark, the text alone. */
function splitAt(text: string, mark: string): readonly [string, string?] {
  const at = text.indexOf(mark)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + mark.length)]
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    // Node says why in OpenSSL's words; the caller has upstream's.
    return false
  }
}
