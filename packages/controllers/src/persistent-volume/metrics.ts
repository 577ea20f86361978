import { keyOf } from "@pilothouse/api"
import { type PersistentVolume, type PersistentVolumeClaim, persistentVolumeClaims, persistentVolumes } from "@pilothouse/api/core/v1"
import { type CacheObserver, cacheObserver, type ReconcileResult } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { counterFamily, createMetrics, gaugeFamily } from "../shared/metric-families.ts"
import { ObjectCountGauge } from "../shared/object-count-gauge.ts"
import type { ObservedClaim } from "./observe-claim.ts"

const subsystem = "pv_collector"
const ofClass = ["storage_class"]
const ofClaim = ["namespace", "storage_class", "volume_attributes_class"]
const ofOperation = ["plugin_name", "operation_name"]

export const persistentVolumeFamilies = {
  volumes: gaugeFamily(`${subsystem}_total_pv_count`, ["plugin_name", "volume_mode"], "Volumes"),
  boundVolumes: gaugeFamily(`${subsystem}_bound_pv_count`, ofClass, "Volumes that are bound to a claim"),
  unboundVolumes: gaugeFamily(`${subsystem}_unbound_pv_count`, ofClass, "Volumes that are not bound"),
  boundClaims: gaugeFamily(`${subsystem}_bound_pvc_count`, ofClaim, "Claims that are bound to a volume"),
  unboundClaims: gaugeFamily(`${subsystem}_unbound_pvc_count`, ofClaim, "Claims that are not bound"),
  olderErrors: counterFamily(
    "volume_operation_total_errors",
    ofOperation,
    "Volumes that could not be made, scrubbed or removed; the older name",
  ),
  errors: counterFamily("volume_operation_errors_total", ofOperation, "Volumes that could not be made, scrubbed or removed"),
  retroactive: counterFamily(
    "retroactive_storageclass_total",
    [],
    "Claims without a class that were to be given the default one, those that could not be included",
  ),
  retroactiveErrors: counterFamily("retroactive_storageclass_errors_total", [], "Claims that could not be given the default class"),
}

export type VolumeMetrics = ReturnType<typeof volumeMetrics>

/** Registers upstream's metrics of volumes and their plugins. */
export function volumeMetrics(metrics: Metrics) {
  const made = createMetrics(metrics, persistentVolumeFamilies)
  return {
    ...made,
    /** Counts failed plugin operations. */
    recordOperations(_key: string, { results }: ReconcileResult): void {
      for (const { operation, ok } of results) {
        if (ok !== false || !("plugin" in operation)) continue
        const about = { plugin_name: String(operation.plugin), operation_name: operation.do.replace("-volume", "") }
        made.errors.add(1, about)
        made.olderErrors.add(1, about)
      }
    },
    /** Counts the claims that the binder gives the default class. */
    recordClasses(_key: string, { results }: ReconcileResult<ObservedClaim>): void {
      for (const { operation, ok } of results) {
        if (ok === "skipped" || !("assigns" in operation)) continue
        made.retroactive.add()
        if (!ok) made.retroactiveErrors.add()
      }
    },
  }
}

const pluginNames = {
  hostPath: "kubernetes.io/host-path",
  local: "kubernetes.io/local-volume",
  nfs: "kubernetes.io/nfs",
  iscsi: "kubernetes.io/iscsi",
  fc: "kubernetes.io/fc",
} as const

export function pluginName({ spec = {} }: PersistentVolume): string {
  if (spec.csi !== undefined) return `kubernetes.io/csi:${spec.csi.driver}`
  const [name] = Object.entries(pluginNames).filter(([field]) => field in spec)
  return name?.[1] ?? "N/A"
}

export function storageClassName({ spec }: PersistentVolume | PersistentVolumeClaim): string {
  return spec?.storageClassName ?? ""
}

/** Maintains the counts of volumes and claims from cache changes, so that a scrape does not count them all. */
export function volumeCountObservers(metrics: VolumeMetrics): readonly CacheObserver[] {
  const [all, bound, unbound] = [metrics.volumes, metrics.boundVolumes, metrics.unboundVolumes].map((gauge) => new ObjectCountGauge(gauge))
  const [boundClaims, unboundClaims] = [metrics.boundClaims, metrics.unboundClaims].map((gauge) => new ObjectCountGauge(gauge))
  return [
    cacheObserver(persistentVolumes, {
      restart: () => [all, bound, unbound].forEach((counted) => counted?.restart()),
      changed({ type, object }) {
        const key = keyOf(object)
        const [isThere, isBound] = [type !== "deleted", object.status?.phase === "Bound"]
        const about = { storage_class: storageClassName(object) }
        all?.set(key, isThere ? { plugin_name: pluginName(object), volume_mode: object.spec?.volumeMode ?? "Filesystem" } : undefined)
        bound?.set(key, isThere && isBound ? about : undefined)
        unbound?.set(key, isThere && !isBound ? about : undefined)
      },
    }),
    cacheObserver(persistentVolumeClaims, {
      restart: () => [boundClaims, unboundClaims].forEach((counted) => counted?.restart()),
      changed({ type, object }) {
        const key = keyOf(object)
        const [isThere, isBound] = [type !== "deleted", object.status?.phase === "Bound"]
        const about = {
          namespace: object.metadata.namespace ?? "",
          storage_class: storageClassName(object),
          volume_attributes_class: object.spec?.volumeAttributesClassName ?? "",
        }
        boundClaims?.set(key, isThere && isBound ? about : undefined)
        unboundClaims?.set(key, isThere && !isBound ? about : undefined)
      },
    }),
  ]
}
