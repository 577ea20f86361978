import { type KubeObject, keyOf } from "@pilothouse/api"
import { type VolumeAttributesClass, volumeAttributesClasses } from "@pilothouse/api/storage/v1"
import type { Reader } from "@pilothouse/runtime"
import { claimsByAttributesClass, volumesByAttributesClass } from "./class-names.ts"

export interface Observed {
  readonly volumeClass: VolumeAttributesClass
  /** One of those that name it, in words; undefined: nobody does. */
  readonly user?: string
}

/** The caches are believed, as upstream does: a claim that is too new for them finds its class gone, and says so. */
export function observe(key: string, read: Reader): Observed | undefined {
  const volumeClass = read.get(volumeAttributesClasses, key)
  if (volumeClass === undefined) return undefined
  const [volume] = read.byIndex(volumesByAttributesClass, key)
  if (volume !== undefined) return { volumeClass, user: told("volume", volume) }
  const [claim] = read.byIndex(claimsByAttributesClass, key)
  return claim === undefined ? { volumeClass } : { volumeClass, user: told("claim", claim) }
}

function told(what: string, object: KubeObject): string {
  return `the ${what} ${keyOf(object)}`
}
