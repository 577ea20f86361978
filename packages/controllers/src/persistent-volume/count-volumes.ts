import { keyOf } from "@pilothouse/api"
import { persistentVolumeClaims, persistentVolumes } from "@pilothouse/api/core/v1"
import { type CacheObserver, cacheObserver } from "@pilothouse/runtime"
import { ObjectCountGauge } from "../shared/object-count-gauge.ts"
import { classOf, pluginNameOf, type VolumeMetrics } from "./metrics.ts"

/** Keeps the numbers of volumes and claims in step with the caches: nobody counts all of them when somebody asks. */
export function countVolumes(metrics: VolumeMetrics): readonly CacheObserver[] {
  const [all, bound, unbound] = [metrics.volumes, metrics.boundVolumes, metrics.unboundVolumes].map((gauge) => new ObjectCountGauge(gauge))
  const [boundClaims, unboundClaims] = [metrics.boundClaims, metrics.unboundClaims].map((gauge) => new ObjectCountGauge(gauge))
  return [
    cacheObserver(persistentVolumes, {
      restart: () => [all, bound, unbound].forEach((counted) => counted?.restart()),
      changed({ type, object }) {
        const key = keyOf(object)
        const [isThere, isBound] = [type !== "deleted", object.status?.phase === "Bound"]
        const about = { storage_class: classOf(object) }
        all?.set(key, isThere ? { plugin_name: pluginNameOf(object), volume_mode: object.spec?.volumeMode ?? "Filesystem" } : undefined)
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
          storage_class: classOf(object),
          volume_attributes_class: object.spec?.volumeAttributesClassName ?? "",
        }
        boundClaims?.set(key, isThere && isBound ? about : undefined)
        unboundClaims?.set(key, isThere && !isBound ? about : undefined)
      },
    }),
  ]
}
