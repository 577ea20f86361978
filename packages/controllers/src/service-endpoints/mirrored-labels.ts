import { deepEqual, type ObjectMeta } from "@pilothouse/api"

type Labels = Readonly<Record<string, string>>
type Metadata = Pick<ObjectMeta, "labels" | "annotations">

export const headlessLabel = "service.kubernetes.io/headless"

/**
 * Records which labels came from the Service, so that a label that the Service loses is removed here too, and a label of another client stays.
 * Upstream has no such record and removes every label that the Service does not have: so does the first write to an object without a record.
 */
export const mirroredLabels = "pilothouse.dev/mirrored-labels"

export interface Mirror {
  /** Labels of the Service. */
  readonly service: Labels | undefined
  /** Labels that the controller itself sets. */
  readonly own: Labels
  /** Names that are never copied from the Service: it must not impersonate another Service or controller. */
  readonly reserved: readonly string[]
}

/** The labels the object should have, and the annotation that records where they came from. */
export function mirrored(current: Metadata, { service, own, reserved }: Mirror): { readonly labels: Labels; readonly record: string } {
  const taken = without(service ?? {}, reserved)
  const before = current.annotations?.[mirroredLabels]?.split(",")
  const kept = before === undefined ? {} : without(current.labels ?? {}, [...reserved, ...before])
  return { labels: { ...kept, ...taken, ...own }, record: Object.keys(taken).sort().join(",") }
}

/** A missing record alone is no reason to write: objects that upstream made have none. */
export function isMirrored({ labels, annotations }: Metadata, wanted: ReturnType<typeof mirrored>): boolean {
  return deepEqual(labels ?? {}, wanted.labels) && (annotations?.[mirroredLabels] ?? wanted.record) === wanted.record
}

function without(labels: Labels, names: readonly string[]): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !names.includes(name)))
}
