import { parseTime } from "@pilothouse/api"
import type { PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import { type StorageClass, storageClasses } from "@pilothouse/api/storage/v1"
import type { Draft } from "../../body/draft.ts"
import type { AdmissionPlugin, AdmissionServer } from "../plugin.ts"

const annotations = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"]

/** A claim that names no class gets the default one. Naming "" says: none. */
export const defaultStorageClass: AdmissionPlugin = {
  name: "DefaultStorageClass",
  admit({ server, operation, resource, subresource, object }) {
    const { group, plural } = resource.descriptor
    if (operation !== "CREATE" || group !== "" || plural !== "persistentvolumeclaims" || subresource !== "") return
    const { spec } = object as Draft<PersistentVolumeClaim>
    if (spec === undefined || spec.storageClassName !== undefined) return
    const name = defaultClass(server)?.metadata.name
    if (name !== undefined) spec.storageClassName = name
  },
}

/** The newest, when several say that they are it; then the first by name. */
function defaultClass({ storage, registry }: AdmissionServer): StorageClass | undefined {
  const { prefix } = registry.of(storageClasses).stored
  const made = ({ metadata }: StorageClass) => parseTime(metadata.creationTimestamp ?? "1970-01-01T00:00:00Z")
  return storage
    .list(prefix)
    .items.map(({ value }) => value as StorageClass)
    .filter(({ metadata }) => annotations.some((annotation) => metadata.annotations?.[annotation] === "true"))
    .reduce<StorageClass | undefined>((best, one) => (best === undefined || made(one) > made(best) ? one : best), undefined)
}
