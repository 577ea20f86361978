import { persistentVolumeClaims, persistentVolumes } from "@pilothouse/api/core/v1"
import { volumeAttributesClasses } from "@pilothouse/api/storage/v1"
import { type Controller, controller, watch } from "@pilothouse/runtime"
import { claimsByAttributesClass, classesOfClaim, classesOfVolume, letsGo, volumesByAttributesClass } from "./class-names.ts"
import { decide } from "./decide.ts"
import { observe } from "./observe.ts"

/**
 * Keeps a VolumeAttributesClass that somebody deletes for as long as a claim or a volume names it.
 * Watches classes, claims and volumes; writes nothing but its finalizer.
 */
export function vacProtectionController(): Controller {
  return controller("volumeattributesclass-protection-controller", {
    for: volumeAttributesClasses,
    predicate: ({ type }) => type !== "deleted",
    watches: [
      watch(persistentVolumeClaims, "a claim does not name it any more", classesOfClaim, {
        predicate: (change) => letsGo(change, classesOfClaim),
      }),
      watch(persistentVolumes, "a volume does not name it any more", classesOfVolume, {
        predicate: (change) => letsGo(change, classesOfVolume),
      }),
    ],
    indexes: [claimsByAttributesClass, volumesByAttributesClass],
    maxConcurrentReconciles: 1,
    observe,
    decide,
  })
}
