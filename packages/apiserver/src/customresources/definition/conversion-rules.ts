import { X509Certificate } from "node:crypto"
import { type FieldError, fieldError } from "@pilothouse/api"
import type { CustomResourceConversion, WebhookClientConfig } from "@pilothouse/api/apiextensions/v1"
import { oneOf } from "../../validation/field-rules.ts"
import { reviewVersionErrors, reviewVersions, webhookTargetErrors } from "../../validation/webhook-client.ts"

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
      ...reviewVersionErrors(versions, { path: `${path}.conversionReviewVersions`, requiresKnown: options.requiresKnownReviewVersion }),
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

/** Returns why the certificates of a conversion webhook cannot be read; undefined where they can, or where there are none. */
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
  return [
    ...webhookTargetErrors(clientConfig, path),
    ...(fault === undefined ? [] : [fieldError.invalid(`${path}.caBundle`, caBundle, fault)]),
  ]
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
