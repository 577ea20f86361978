import type { PersistentVolume, PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from "@pilothouse/api/storage/v1"
import { none, or, unset } from "../columns/cells.ts"
import { ageColumn, boolean, integer, nameColumn, text, wide } from "../columns/column.ts"
import { type Printer, printer } from "../columns/printer.ts"

const persistentVolume = printer<PersistentVolume>(
  nameColumn,
  text("Capacity", ({ spec }) => String(spec?.capacity?.storage ?? 0)),
  text("Access Modes", ({ spec }) => accessModes(spec?.accessModes)),
  text("Reclaim Policy", ({ spec }) => spec?.persistentVolumeReclaimPolicy),
  text("Status", phaseText),
  text("Claim", ({ spec }) => (spec?.claimRef === undefined ? "" : `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}`)),
  text("StorageClass", ({ metadata, spec }) => metadata.annotations?.[classAnnotation] ?? spec?.storageClassName),
  text("VolumeAttributesClass", ({ spec }) => spec?.volumeAttributesClassName ?? unset),
  text("Reason", ({ status }) => status?.reason),
  ageColumn,
  wide(text("VolumeMode", ({ spec }) => spec?.volumeMode ?? unset)),
)

const persistentVolumeClaim = printer<PersistentVolumeClaim>(
  nameColumn,
  text("Status", phaseText),
  text("Volume", ({ spec }) => spec?.volumeName),
  text("Capacity", ({ spec, status }) => (spec?.volumeName ? String(status?.capacity?.storage ?? 0) : "")),
  text("Access Modes", ({ spec, status }) => (spec?.volumeName ? accessModes(status?.accessModes) : "")),
  text("StorageClass", ({ metadata, spec }) => metadata.annotations?.[classAnnotation] ?? spec?.storageClassName),
  text("VolumeAttributesClass", ({ spec }) => spec?.volumeAttributesClassName ?? unset),
  ageColumn,
  wide(text("VolumeMode", ({ spec }) => spec?.volumeMode ?? unset)),
)

/** How classes were named before they had a field. */
const classAnnotation = "volume.beta.kubernetes.io/storage-class"

function phaseText({ metadata, status }: PersistentVolume | PersistentVolumeClaim): string | undefined {
  return metadata.deletionTimestamp === undefined ? status?.phase : "Terminating"
}

const shortModes: readonly (readonly [mode: string, short: string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
]

/** Always in the same order, each once. */
function accessModes(modes: readonly string[] = []): string {
  return shortModes.flatMap(([mode, short]) => (modes.includes(mode) ? [short] : [])).join(",")
}

const storageClass = printer<StorageClass>(
  { ...nameColumn, cell: ({ metadata }) => `${metadata.name}${isDefault(metadata.annotations) ? " (default)" : ""}` },
  text("Provisioner", ({ provisioner }) => provisioner),
  text("ReclaimPolicy", ({ reclaimPolicy }) => reclaimPolicy ?? "Delete"),
  text("VolumeBindingMode", ({ volumeBindingMode }) => volumeBindingMode ?? "Immediate"),
  { ...boolean("AllowVolumeExpansion", ({ allowVolumeExpansion }: StorageClass) => allowVolumeExpansion), type: "string" },
  ageColumn,
)

function isDefault(annotations: Readonly<Record<string, string>> = {}): boolean {
  return ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"].some(
    (name) => annotations[name] === "true",
  )
}

const volumeAttributesClass = printer<VolumeAttributesClass>(
  nameColumn,
  text("DriverName", ({ driverName }) => driverName),
  ageColumn,
)

const volumeAttachment = printer<VolumeAttachment>(
  nameColumn,
  { ...text("Attacher", ({ spec }: VolumeAttachment) => spec.attacher), format: "name" },
  text("PV", ({ spec }) => spec.source.persistentVolumeName),
  text("Node", ({ spec }) => spec.nodeName),
  boolean("Attached", ({ status }) => status?.attached),
  ageColumn,
)

const csiNode = printer<CSINode>(
  nameColumn,
  integer("Drivers", ({ spec }) => spec.drivers?.length),
  ageColumn,
)

const csiDriver = printer<CSIDriver>(
  nameColumn,
  boolean("AttachRequired", ({ spec }) => spec.attachRequired ?? true),
  boolean("PodInfoOnMount", ({ spec }) => spec.podInfoOnMount),
  boolean("StorageCapacity", ({ spec }) => spec.storageCapacity),
  text("TokenRequests", ({ spec }) => spec.tokenRequests?.map(({ audience }) => audience).join(",") ?? unset),
  boolean("RequiresRepublish", ({ spec }) => spec.requiresRepublish),
  text("Modes", ({ spec }) => or(spec.volumeLifecycleModes?.join(","), none)),
  ageColumn,
)

const csiStorageCapacity = printer<CSIStorageCapacity>(
  nameColumn,
  text("StorageClassName", ({ storageClassName }) => storageClassName),
  text("Capacity", ({ capacity }) => String(capacity ?? unset)),
)

export const storagePrinters: Readonly<Record<string, Printer<never>>> = {
  "/PersistentVolume": persistentVolume,
  "/PersistentVolumeClaim": persistentVolumeClaim,
  "storage.k8s.io/CSIDriver": csiDriver,
  "storage.k8s.io/CSINode": csiNode,
  "storage.k8s.io/CSIStorageCapacity": csiStorageCapacity,
  "storage.k8s.io/StorageClass": storageClass,
  "storage.k8s.io/VolumeAttachment": volumeAttachment,
  "storage.k8s.io/VolumeAttributesClass": volumeAttributesClass,
}
