import type { KubeObject } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { Change } from "@pilothouse/runtime"
import { ephemeralVolumesOf } from "./observe.ts"

/** Volumes of a pod never change: one look when it is seen is enough, and updates of its status wake nobody. */
export function hasEphemeralVolumes(change: Change<KubeObject>): boolean {
  return isNew(change) && ephemeralVolumesOf(change.object as Pod).length > 0
}

/** A pod that was deleted and made again may be seen as an update. */
function isNew(change: Change<KubeObject>): boolean {
  return change.type === "added" || (change.type === "updated" && change.old.metadata.uid !== change.object.metadata.uid)
}
