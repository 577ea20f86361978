import { type PersistentVolume, type PersistentVolumeClaim, persistentVolumeClaims, persistentVolumes } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { hasPodStopped, podsByClaim } from "../shared/pods-by-claim.ts"
import type { Plugins } from "./choose-plugin.ts"
import { claimKeyOf } from "./indexes.ts"
import { isReclaimedByUs, isReleased } from "./reclaim.ts"

export interface ObservedVolume {
  readonly volume: PersistentVolume
  /** The very claim that it is bound to, by UID. */
  readonly claim?: PersistentVolumeClaim
  /** Pods that still use it: "default/web". */
  readonly users: readonly string[]
  /** The server has a newer one than the cache: nothing is destroyed on an old picture. */
  readonly isOutdated: boolean
}

export async function observeVolume(key: string, read: Reader, plugins: Plugins): Promise<ObservedVolume | undefined> {
  const volume = read.get(persistentVolumes, key)
  if (volume === undefined) return undefined
  const claim = await claimOf(volume, read)
  const isOutdated = isReclaimedByUs(volume, claim, plugins) && !(await isNewest(volume, read))
  return { volume, claim, users: usersOf(volume, read), isOutdated }
}

/**
 * A claim that the cache lacks may only be too new for it: the server is asked before a volume is called released. Once it is, it stays so, for
 * a UID never comes back.
 */
async function claimOf(volume: PersistentVolume, read: Reader): Promise<PersistentVolumeClaim | undefined> {
  const uid = volume.spec?.claimRef?.uid
  const key = claimKeyOf(volume)
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

/** A claim of the same name that came later has a volume of its own, and the pods use that one. */
function usersOf(volume: PersistentVolume, read: Reader): readonly string[] {
  const key = claimKeyOf(volume)
  if (key === undefined || read.get(persistentVolumeClaims, key) !== undefined) return []
  const running = read.byIndex(podsByClaim, key).filter((pod) => !hasPodStopped(pod))
  return running.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort()
}
