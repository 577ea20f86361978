import type { PersistentVolume } from "@pilothouse/api/core/v1"
import type { Filter } from "./filter.ts"
import { forGood } from "./refuse.ts"

const refusal = forGood("node(s) had no available volume zone")

/** Labels by which volumes of old say where they are, and what each is called today. */
const zoneLabels: Readonly<Record<string, string>> = {
  "topology.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region": "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
}

interface Place {
  readonly label: string
  readonly values: readonly string[]
}

export const volumeZone: Filter = ({ volumes }) => {
  const places = volumes.claims.flatMap(({ volume }) => (volume === undefined ? [] : placesOf(volume)))
  if (places.length === 0) return undefined
  return ({ labels }) => {
    // A node that says nothing of zones is in the only one there is.
    if (!Object.keys(zoneLabels).some((label) => labels[label] !== undefined)) return undefined
    return places.every(({ label, values }) => values.includes(labels[label] ?? labels[zoneLabels[label] ?? ""] ?? ""))
      ? undefined
      : refusal
  }
}

/** A volume that is in several zones joins their names with two underscores. */
function placesOf({ metadata }: PersistentVolume): readonly Place[] {
  return Object.keys(zoneLabels).flatMap((label) => {
    const value = metadata.labels?.[label]
    return value === undefined ? [] : [{ label, values: value.split("__") }]
  })
}
