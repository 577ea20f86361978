import { type FieldError, fieldError } from "@pilothouse/api"
import type { ClusterTrustBundleProjection, PodCertificateProjection } from "@pilothouse/api/core/v1"
import { lifetimeBounds, signerNameErrors } from "../certificates/signer-name.ts"
import { checkTrustBundleName, signerOfBundle } from "../certificates/trust-bundle-name.ts"
import { userAnnotationErrors } from "../certificates/user-annotations.ts"
import { goLayout, goStructValue } from "../go-struct.ts"
import { validateLabelSelector } from "../label-selector.ts"
import { unreservedPathErrors } from "./local-path.ts"

/** Returns what is wrong with trust anchors in a volume: those of one bundle, or of a signer's bundles. */
export function clusterTrustBundleErrors(projection: ClusterTrustBundleProjection, field: string): readonly FieldError[] {
  const { path } = projection
  return [
    ...bundleErrors(projection, field),
    ...(path === "" ? [fieldError.required(`${field}.path`)] : []),
    ...unreservedPathErrors(path, `${field}.path`),
  ]
}

const layout = goLayout("name=null signerName=null labelSelector=null optional=null path")

function bundleErrors(projection: ClusterTrustBundleProjection, field: string): readonly FieldError[] {
  const { name, signerName, labelSelector } = projection
  if (name !== undefined && signerName !== undefined) {
    return [fieldError.invalid(field, goStructValue(projection, layout), "only one of name and signerName may be used")]
  }
  if (name !== undefined) {
    const texts = checkTrustBundleName(signerOfBundle(name))(name)
    return [
      ...(name === "" ? [fieldError.required(`${field}.name`, "must be a valid object name")] : []),
      ...texts.map((text) => fieldError.invalid(`${field}.name`, name, `not a valid clustertrustbundlename: ${text}`)),
      ...(labelSelector === undefined
        ? []
        : [fieldError.invalid(`${field}.labelSelector`, labelSelector, "labelSelector must be unset if name is specified")]),
    ]
  }
  if (signerName === undefined) return [fieldError.required(field, "either name or signerName must be specified")]
  return [
    ...(signerName === "" ? [fieldError.required(`${field}.signerName`, "must be a valid signer name")] : []),
    ...signerNameErrors(signerName, `${field}.signerName`),
    ...(labelSelector === undefined ? [] : validateLabelSelector(labelSelector, `${field}.labelSelector`)),
  ]
}

const keyTypes: readonly string[] = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"]

interface PodCertificateErrors {
  /** In upstream's order: what comes before and behind the faults of the files. */
  readonly before: readonly FieldError[]
  readonly files: readonly { readonly path: string; readonly field: string }[]
  readonly after: readonly FieldError[]
}

/** Returns what is wrong with a pod's own key and certificate in a volume, and the files that it writes. */
export function podCertificateErrors(projection: PodCertificateProjection, field: string): PodCertificateErrors {
  const { signerName, keyType, maxExpirationSeconds, userAnnotations = {} } = projection
  const files = (["credentialBundlePath", "keyPath", "certificateChainPath"] as const)
    .map((name) => ({ path: projection[name] ?? "", field: `${field}.${name}` }))
    .filter(({ path }) => path !== "")
  const missing = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"
  return {
    before: [
      ...signerNameErrors(signerName, `${field}.signerName`),
      ...userAnnotationErrors(userAnnotations, `${field}.userAnnotations`),
      ...(keyTypes.includes(keyType) ? [] : [fieldError.notSupported(`${field}.keyType`, keyType, keyTypes)]),
      ...(maxExpirationSeconds === undefined ? [] : lifetimeErrors(maxExpirationSeconds, signerName, `${field}.maxExpirationSeconds`)),
    ],
    files,
    after: files.length === 0 ? [fieldError.required(field, missing)] : [],
  }
}

function lifetimeErrors(seconds: number, signerName: string, field: string): readonly FieldError[] {
  const { min, max } = lifetimeBounds(signerName)
  const wrong = (text: string) => [fieldError.invalid(field, seconds, `if provided, maxExpirationSeconds must be ${text}`)]
  return [...(seconds < min ? wrong(`>= ${min}`) : []), ...(seconds > max ? wrong(`<= ${max}`) : [])]
}
