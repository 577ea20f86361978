import type { AdmissionPlugin } from "../plugin.ts"

/** By group and plural, as in "storage.k8s.io/volumeattributesclasses". */
const finalizers: Readonly<Record<string, string>> = {
  "/persistentvolumeclaims": "kubernetes.io/pvc-protection",
  "/persistentvolumes": "kubernetes.io/pv-protection",
  "storage.k8s.io/volumeattributesclasses": "kubernetes.io/vac-protection",
}

/** A claim, a volume or a class stays while it is in use; the protection controllers remove the finalizer. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",
  admit({ operation, resource, subresource, object }) {
    const { group, plural } = resource.descriptor
    const finalizer = finalizers[`${group}/${plural}`]
    if (operation !== "CREATE" || subresource !== "" || finalizer === undefined || object === undefined) return
    const present = object.metadata.finalizers ?? []
    if (!present.includes(finalizer)) object.metadata.finalizers = [...present, finalizer]
  },
}
