import { amountSign, deepEqual, type FieldError, fieldError, formatQuantity, parseQuantity } from "@pilothouse/api"
import type { PersistentVolumeSpec } from "@pilothouse/api/core/v1"
import { goStructText } from "../go-struct.ts"
import { unifiedDiff } from "../unified-diff.ts"
import { volumeSourceLayout } from "./volume-layouts.ts"

const accessModes: readonly string[] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]
const reclaimPolicies: readonly string[] = ["Delete", "Recycle", "Retain"]
const volumeModes: readonly string[] = ["Block", "Filesystem"]
/** Everything else of a volume's spec is its source: what it is made of. */
const common: ReadonlySet<string> = new Set([
  "accessModes",
  "capacity",
  "claimRef",
  "mountOptions",
  "nodeAffinity",
  "persistentVolumeReclaimPolicy",
  "storageClassName",
  "volumeAttributesClassName",
  "volumeMode",
])

/** Returns what is wrong with the spec of a PersistentVolume: exactly one source, a capacity, access modes. */
export function volumeErrors(spec: PersistentVolumeSpec | undefined): readonly FieldError[] {
  const sources = sourcesOf(spec)
  const policy = spec?.persistentVolumeReclaimPolicy
  return [
    ...((spec?.accessModes ?? []).length === 0 ? [fieldError.required("spec.accessModes")] : []),
    ...accessModeErrors(spec?.accessModes ?? []),
    ...capacityErrors(spec?.capacity ?? {}),
    ...(policy === undefined || reclaimPolicies.includes(policy)
      ? []
      : [fieldError.notSupported("spec.persistentVolumeReclaimPolicy", policy, reclaimPolicies)]),
    ...(Object.keys(sources).length === 0 ? [fieldError.required("spec", "must specify a volume type")] : []),
    ...Object.keys(sources)
      .slice(1)
      .map((name) => fieldError.forbidden(`spec.${name}`, "may not specify more than 1 volume type")),
    ...volumeModeErrors(spec?.volumeMode),
  ]
}

export function accessModeErrors(modes: readonly string[]): readonly FieldError[] {
  const field = "spec.accessModes"
  const mixed = modes.includes("ReadWriteOncePod") && modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode))
  return [
    ...modes.filter((mode) => !accessModes.includes(mode)).map((mode) => fieldError.notSupported(field, mode, accessModes)),
    ...(mixed ? [fieldError.forbidden(field, "may not use ReadWriteOncePod with other access modes")] : []),
  ]
}

export function volumeModeErrors(mode: string | undefined): readonly FieldError[] {
  return mode === undefined || volumeModes.includes(mode) ? [] : [fieldError.notSupported("spec.volumeMode", mode, volumeModes)]
}

export function positive(text: string, field: string): readonly FieldError[] {
  const amount = parseQuantity(text)
  return amountSign(amount) > 0 ? [] : [fieldError.invalid(field, formatQuantity(amount), "must be greater than zero")]
}

function capacityErrors(capacity: Readonly<Record<string, string>>): readonly FieldError[] {
  const names = Object.keys(capacity)
  const field = "spec.capacity"
  return [
    ...(names.length === 0 ? [fieldError.required(field)] : []),
    ...(names.length !== 1 || names[0] !== "storage"
      ? [fieldError.notSupported(field, names.length === 0 ? null : capacity, ["storage"])]
      : []),
    ...Object.entries(capacity).flatMap(([name, text]) => positive(text, `${field}[${name}]`)),
  ]
}

/** Validates that the source of a volume does not change while it is used; the secret for expansion may be added. */
export function sourceErrors(spec: PersistentVolumeSpec | undefined, old: PersistentVolumeSpec | undefined): readonly FieldError[] {
  const added =
    spec?.csi?.controllerExpandSecretRef !== undefined && old?.csi !== undefined && old.csi.controllerExpandSecretRef === undefined
  const { controllerExpandSecretRef: _secret, ...csi } = spec?.csi ?? {}
  const now = added ? { ...sourcesOf(spec), csi } : sourcesOf(spec)
  const before = sourcesOf(old)
  if (deepEqual(now, before)) return []
  const difference = unifiedDiff(goStructText(before, volumeSourceLayout), goStructText(now, volumeSourceLayout))
  const text = "spec.persistentvolumesource is immutable after creation"
  return [fieldError.forbidden("spec.persistentvolumesource", `${text}\n${difference}`)]
}

function sourcesOf(spec: PersistentVolumeSpec | undefined): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(spec ?? {}).filter(([name, value]) => !common.has(name) && value !== undefined))
}
