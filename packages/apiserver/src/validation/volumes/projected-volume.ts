import { type FieldError, fieldError } from "@pilothouse/api"
import type { KeyToPath, ProjectedVolumeSource, VolumeProjection } from "@pilothouse/api/core/v1"
import { clusterTrustBundleErrors, podCertificateErrors } from "./certificate-projections.ts"
import { unreservedPathErrors } from "./local-path.ts"

/** Returns what is wrong with the sources of a projected volume: each is one thing, and no two of them write the same file. */
export function projectedVolumeErrors({ defaultMode, sources = [] }: ProjectedVolumeSource, field: string): readonly FieldError[] {
  const used = new Set<string>()
  return [
    ...modeErrors(defaultMode, `${field}.defaultMode`),
    ...sources.flatMap((source, index) => sourceErrors(source, { field, source: `${field}.sources[${index}]`, used })),
  ]
}

/** Where a source stands. */
interface Place {
  /** Of the volume. */
  readonly field: string
  /** Of the source. */
  readonly source: string
  /** The files of the sources before it. */
  readonly used: Set<string>
}

function sourceErrors(projection: VolumeProjection, place: Place): readonly FieldError[] {
  const { secret, configMap, downwardAPI, serviceAccountToken: token, clusterTrustBundle, podCertificate } = projection
  const certificate = podCertificate && podCertificateErrors(podCertificate, `${place.source}.podCertificate`)
  return [
    ...(secret ? objectErrors(secret, `${place.source}.secret`, place) : []),
    ...(configMap ? objectErrors(configMap, `${place.source}.configMap`, place) : []),
    ...(downwardAPI?.items ?? []).flatMap(({ path }) => [
      ...pathErrors(path, `${place.source}.downwardAPI.path`),
      ...conflicts([path], place),
    ]),
    ...(token ? tokenErrors(token, place) : []),
    ...(clusterTrustBundle
      ? [
          ...clusterTrustBundleErrors(clusterTrustBundle, `${place.source}.clusterTrustBundle`),
          ...conflicts([clusterTrustBundle.path], place, true),
        ]
      : []),
    ...(certificate?.before ?? []),
    ...(certificate?.files ?? []).flatMap(({ path, field }) => [...unreservedPathErrors(path, field), ...conflicts([path], place)]),
    ...(certificate?.after ?? []),
    ...(Object.keys(projection).length > 1
      ? [fieldError.forbidden(place.source, "may not specify more than 1 volume type per source")]
      : []),
  ]
}

interface ObjectProjection {
  readonly name?: string
  readonly items?: readonly KeyToPath[]
}

/** Keys of a ConfigMap or Secret. */
function objectErrors({ name = "", items = [] }: ObjectProjection, field: string, place: Place): readonly FieldError[] {
  return [
    ...(name === "" ? [fieldError.required(`${field}.name`)] : []),
    ...items.flatMap(({ key, path, mode }, index) => {
      const item = `${field}.items[${index}]`
      return [
        ...(key === "" ? [fieldError.required(`${item}.key`)] : []),
        ...pathErrors(path, `${item}.path`),
        ...modeErrors(mode, `${item}.mode`),
        ...conflicts([path], place, false, name),
      ]
    }),
  ]
}

function pathErrors(path: string, field: string): readonly FieldError[] {
  return [...(path === "" ? [fieldError.required(field)] : []), ...unreservedPathErrors(path, field)]
}

const minSeconds = 600
const maxSeconds = 2 ** 32

/** Upstream names the path as if it were the volume's. */
function tokenErrors({ expirationSeconds = 0, path }: NonNullable<VolumeProjection["serviceAccountToken"]>, place: Place) {
  const expiration = `${place.source}.serviceAccountToken.expirationSeconds`
  const wrong = (text: string) => fieldError.invalid(expiration, expirationSeconds, text)
  return [
    ...(expirationSeconds < minSeconds ? [wrong("may not specify a duration less than 10 minutes")] : []),
    ...(expirationSeconds > maxSeconds ? [wrong("may not specify a duration larger than 2^32 seconds")] : []),
    ...(path === "" ? [fieldError.required(`${place.field}.path`)] : unreservedPathErrors(path, `${place.field}.path`)),
  ]
}

/** Of paths that a source before has; `shown` is what the message names, the path by default. */
function conflicts(paths: readonly string[], { used, field }: Place, evenEmpty = false, shown?: string): readonly FieldError[] {
  return paths.flatMap((path) => {
    if (path === "" && !evenEmpty) return []
    if (used.has(path)) return [fieldError.invalid(field, shown ?? path, "conflicting duplicate paths")]
    used.add(path)
    return []
  })
}

function modeErrors(mode: number | undefined, field: string): readonly FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return []
  return [fieldError.invalid(field, mode, "must be a number between 0 and 0777 (octal), both inclusive")]
}
