import { type Descriptor, type KubeObject, parseTime } from "@pilothouse/api"
import type { AdmissionServer } from "./plugin.ts"

/** Returns the default of the stored classes of a kind: the newest of those that an annotation marks; of equally old ones the first by name. */
export function defaultClass<T extends KubeObject>(
  { storage, registry }: Pick<AdmissionServer, "storage" | "registry">,
  kind: Descriptor<T>,
  annotations: readonly string[],
): T | undefined {
  const { stored } = registry.of(kind)
  const created = ({ metadata }: T) => parseTime(metadata.creationTimestamp ?? "1970-01-01T00:00:00Z")
  return storage
    .list(stored.prefix)
    .items.map(({ value }) => stored.decode(value))
    .filter(({ metadata }) => annotations.some((annotation) => metadata.annotations?.[annotation] === "true"))
    .reduce<T | undefined>((best, one) => (best === undefined || created(one) > created(best) ? one : best), undefined)
}
