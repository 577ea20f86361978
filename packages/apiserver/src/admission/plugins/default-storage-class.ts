import type { PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import { storageClasses } from "@pilothouse/api/storage/v1"
import type { Draft } from "../../body/draft.ts"
import { defaultClass } from "../default-class.ts"
import type { AdmissionPlugin } from "../plugin.ts"

const annotations = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"]

/** Gives a claim that names no class the default one. "" is a name too: that of no class. */
export const defaultStorageClass: AdmissionPlugin = {
  name: "DefaultStorageClass",
  admit({ server, operation, resource, subresource, object }) {
    const { group, plural } = resource.descriptor
    if (operation !== "CREATE" || group !== "" || plural !== "persistentvolumeclaims" || subresource !== "") return
    const { spec } = object as Draft<PersistentVolumeClaim>
    if (spec === undefined || spec.storageClassName !== undefined) return
    const name = defaultClass(server, storageClasses, annotations)?.metadata.name
    if (name !== undefined) spec.storageClassName = name
  },
}
