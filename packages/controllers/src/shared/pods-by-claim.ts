import { isPodTerminal, isPodTerminating } from "@pilothouse/api"
import { type Pod, pods, type Volume } from "@pilothouse/api/core/v1"
import { index } from "@pilothouse/runtime"

/** Returns the name of the claim of a pod's volume, if it has one: the named claim, or the one of an ephemeral volume. */
export function volumeClaimName(pod: Pod, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName
  return volume.ephemeral === undefined ? undefined : ephemeralClaimName(pod, volume)
}

export function ephemeralClaimName({ metadata }: Pod, { name }: Volume): string {
  return `${metadata.name}-${name}`
}

/** Returns the keys of the claims that a pod uses. */
export function podClaimKeys(pod: Pod): readonly string[] {
  const names = (pod.spec?.volumes ?? []).flatMap((volume) => volumeClaimName(pod, volume) ?? [])
  return names.map((name) => `${pod.metadata.namespace}/${name}`)
}

export const podsByClaim = index(pods, "claim", podClaimKeys)

/** Reports whether no container of the pod runs any more: it has finished, or it is being deleted and its containers have stopped. */
export function hasPodStopped(pod: Pod): boolean {
  if (isPodTerminal(pod)) return true
  const states = (pod.status?.containerStatuses ?? []).map(({ state }) => state)
  return isPodTerminating(pod) && states.every((state) => state?.terminated !== undefined || state?.waiting !== undefined)
}
