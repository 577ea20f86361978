import { type PersistentVolumeClaim, type Pod, persistentVolumeClaims, pods, type Volume } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { ephemeralClaimName } from "../shared/pods-by-claim.ts"

export interface EphemeralVolume {
  readonly volume: Volume
  /** Whatever has the name that its claim would get. */
  readonly claim?: PersistentVolumeClaim
}

export interface Observed {
  readonly pod: Pod
  readonly volumes: readonly EphemeralVolume[]
}

export function ephemeralVolumes({ spec }: Pod): readonly Volume[] {
  return (spec?.volumes ?? []).filter(({ ephemeral }) => ephemeral !== undefined)
}

export function observe(key: string, read: Reader): Observed | undefined {
  const pod = read.get(pods, key)
  if (pod === undefined) return undefined
  const claimFor = (volume: Volume) => read.get(persistentVolumeClaims, `${pod.metadata.namespace}/${ephemeralClaimName(pod, volume)}`)
  return { pod, volumes: ephemeralVolumes(pod).map((volume) => ({ volume, claim: claimFor(volume) })) }
}
