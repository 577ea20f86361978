import { deepEqual, fieldError, formatTime } from "@pilothouse/api"
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec, TypedLocalObjectReference } from "@pilothouse/api/core/v1"
import type { StorageClass } from "@pilothouse/api/storage/v1"
import type { Draft } from "../body/draft.ts"
import { immutable, oneOf } from "../validation/field-rules.ts"
import { claimErrors, claimUpdateErrors } from "../validation/volumes/claim.ts"
import { sourceErrors, volumeErrors } from "../validation/volumes/volume.ts"
import { volumeAffinityErrors } from "../validation/volumes/volume-affinity.ts"
import type { ResourceStrategy } from "./resource.ts"

export const persistentVolume: ResourceStrategy<PersistentVolume> = {
  defaults({ spec }) {
    if (spec === undefined) return
    spec.persistentVolumeReclaimPolicy ??= "Retain"
    spec.volumeMode ??= "Filesystem"
    if (spec.claimRef !== undefined) {
      spec.claimRef.apiVersion ??= "v1"
      spec.claimRef.kind ??= "PersistentVolumeClaim"
    }
    if (spec.hostPath) spec.hostPath.type ??= ""
    if (spec.azureDisk) spec.azureDisk = { cachingMode: "ReadWrite", fsType: "ext4", readOnly: false, kind: "Shared", ...spec.azureDisk }
  },
  prepareForCreate(object, { clock }) {
    object.status = { phase: "Pending", lastPhaseTransitionTime: formatTime(clock.now()) }
  },
  prepareForStatusUpdate({ status }, old, { clock }) {
    if (status === undefined) return
    const [given, before] = [status.lastPhaseTransitionTime, old.status?.lastPhaseTransitionTime]
    const same = status.phase === old.status?.phase
    if (same && given === undefined && before !== undefined) status.lastPhaseTransitionTime = before
    // A time that the client sets itself is kept.
    if (!same && (given === undefined || given === before)) status.lastPhaseTransitionTime = formatTime(clock.now())
  },
  validate: ({ spec }) => volumeErrors(spec),
  validateUpdate: ({ spec }, { spec: old }) => [
    ...sourceErrors(spec, old),
    ...immutable(spec?.volumeMode, old?.volumeMode, "volumeMode"),
    ...volumeAffinityErrors(spec?.nodeAffinity, old?.nodeAffinity),
  ],
  deleteAnswer: "object",
}

export const persistentVolumeClaim: ResourceStrategy<PersistentVolumeClaim> = {
  defaults(object) {
    if (object.spec === undefined) return
    object.spec.volumeMode ??= "Filesystem"
    object.status ??= {}
    object.status.phase ??= "Pending"
  },
  prepareForCreate(object) {
    object.status = { phase: "Pending" }
    sameSources(object.spec, undefined)
  },
  prepareForUpdate(object, old) {
    sameSources(object.spec, old.spec)
  },
  validate: ({ spec }) => claimErrors(spec),
  validateUpdate: claimUpdateErrors,
  deleteAnswer: "object",
}

/** What a claim is filled from is said in an old field and in a new one; each stands for the other. The old one knows claims and snapshots only. */
function sameSources(spec: Draft<PersistentVolumeClaimSpec> | undefined, old: PersistentVolumeClaimSpec | undefined): void {
  if (spec === undefined) return
  const inUse = old?.dataSource !== undefined || old?.dataSourceRef !== undefined
  if (!inUse && spec.dataSourceRef === undefined && !isClaimOrSnapshot(spec.dataSource)) delete spec.dataSource
  const { dataSource, dataSourceRef } = spec
  if (dataSource !== undefined && dataSourceRef === undefined) spec.dataSourceRef = { ...dataSource }
  if (dataSource === undefined && dataSourceRef !== undefined && (dataSourceRef.namespace ?? "") === "") {
    const { namespace: _none, ...local } = dataSourceRef
    spec.dataSource = local
  }
}

function isClaimOrSnapshot(source: TypedLocalObjectReference | undefined): boolean {
  const group = source?.apiGroup ?? ""
  if (source?.kind === "PersistentVolumeClaim") return group === ""
  return source?.kind === "VolumeSnapshot" && group === "snapshot.storage.k8s.io"
}

export const storageClass: ResourceStrategy<StorageClass> = {
  defaults(object) {
    object.reclaimPolicy ??= "Delete"
    object.volumeBindingMode ??= "Immediate"
  },
  validate: ({ provisioner, volumeBindingMode }) => [
    ...((provisioner ?? "") === "" ? [fieldError.required("provisioner")] : []),
    ...oneOf(volumeBindingMode, ["Immediate", "WaitForFirstConsumer"], "volumeBindingMode"),
  ],
  validateUpdate: (object, old) => [
    ...(deepEqual(object.parameters, old.parameters) ? [] : [fieldError.forbidden("parameters", "updates to parameters are forbidden.")]),
    ...(object.provisioner === old.provisioner ? [] : [fieldError.forbidden("provisioner", "updates to provisioner are forbidden.")]),
    ...immutable(object.reclaimPolicy, old.reclaimPolicy, "reclaimPolicy"),
    ...immutable(object.volumeBindingMode, old.volumeBindingMode, "volumeBindingMode"),
  ],
  deleteAnswer: "object",
}
