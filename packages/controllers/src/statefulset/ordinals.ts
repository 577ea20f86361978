import type { StatefulSet } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"

export function wantedReplicas({ spec }: StatefulSet): number {
  return spec?.replicas ?? 1
}

/** The lowest number; the pods count up from there. */
export function firstOrdinal({ spec }: StatefulSet): number {
  return spec?.ordinals?.start ?? 0
}

export function podName({ metadata }: StatefulSet, ordinal: number): string {
  return `${metadata.name}-${ordinal}`
}

export function claimName({ metadata }: StatefulSet, template: string, ordinal: number): string {
  return `${template}-${metadata.name}-${ordinal}`
}

/** The number at the end of a name, written as we write it; undefined where there is none ("web", "web-01"). */
export function ordinalIn(name: string): number | undefined {
  const digits = /-(0|[1-9]\d*)$/.exec(name)?.[1]
  return digits === undefined || Number(digits) >= 2 ** 31 ? undefined : Number(digits)
}

export function ordinalOf({ metadata }: Pod): number {
  return ordinalIn(metadata.name ?? "") ?? -1
}

/** By name: whatever has our labels and another name can never be one of the pods. */
export function isMember(set: StatefulSet, pod: Pod): boolean {
  return pod.metadata.name === podName(set, ordinalOf(pod))
}

export function isInRange(set: StatefulSet, ordinal: number): boolean {
  return ordinal >= firstOrdinal(set) && ordinal < firstOrdinal(set) + wantedReplicas(set)
}
