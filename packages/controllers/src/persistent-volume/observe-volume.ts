import { type PersistentVolume, type PersistentVolumeClaim, persistentVolumeClaims, persistentVolumes } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { hasPodStopped, podsByClaim } from "../shared/pods-by-claim.ts"
import type { Plugins } from "./choose-plugin.ts"
import { claimKey } from "./indexes.ts"
import { isReclaimedByUs, isReleased } from "./reclaim.ts"

export interface ObservedVolume {
  readonly volume: PersistentVolume
  /** The claim that it is bound to, by UID. */
  readonly claim?: PersistentVolumeClaim
  /** Pods that still use it: "default/web". */
  readonly users: readonly string[]
  /** The server has a newer version than the cache: nothing is destroyed on outdated data. */
  readonly isOutdated: boolean
}

export async function observeVolume(key: string, read: Reader, plugins: Plugins): Promise<ObservedVolume | undefined> {
  const volume = read.get(persistentVolumes, key)
  if (volume === undefined) return undefined
  const claim = await readClaim(volume, read)
  const isOutdated = isReclaimedByUs(volume, claim, plugins) && !(await isNewest(volume, read))
  return { volume, claim, users: podsUsing(volume, read), isOutdated }
}

/**
 * Reads the claim from the API server before a volume is released, because the claim may be too new for the cache. Released is final, because
 * a UID is never reused.
 */
async function readClaim(volume: PersistentVolume, read: Reader): Promise<PersistentVolumeClaim | undefined> {
  const uid = volume.spec?.claimRef?.uid
  const key = claimKey(volume)
  if (!uid || key === undefined) return undefined
  const cached = read.get(persistentVolumeClaims, key)
  if (cached?.metadata.uid === uid) return cached
  if (isReleased(volume)) return undefined
  const live = await read.live(persistentVolumeClaims, key)
  return live?.metadata.uid === uid ? live : undefined
}

async function isNewest({ metadata }: PersistentVolume, read: Reader): Promise<boolean> {
  const live = await read.live(persistentVolumes, metadata.name ?? "")
  return live?.metadata.resourceVersion === metadata.resourceVersion
}

/** Returns the pods that use the volume. Pods of a later claim of the same name use that claim's volume. */
function podsUsing(volume: PersistentVolume, read: Reader): readonly string[] {
  const key = claimKey(volume)
  if (key === undefined || read.get(persistentVolumeClaims, key) !== undefined) return []
  const running = read.byIndex(podsByClaim, key).filter((pod) => !hasPodStopped(pod))
  return running.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort()
}
