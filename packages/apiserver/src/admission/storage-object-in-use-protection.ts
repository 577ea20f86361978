import type { AdmissionPlugin } from "./plugin.ts"

const finalizers: Readonly<Record<string, string>> = {
  persistentvolumeclaims: "kubernetes.io/pvc-protection",
  persistentvolumes: "kubernetes.io/pv-protection",
}

/** A claim or volume stays while somebody uses it; the protection loops take the finalizer away. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",
  admit({ operation, resource, subresource, object }) {
    const { group, plural } = resource.descriptor
    const finalizer = group === "" ? finalizers[plural] : undefined
    if (operation !== "CREATE" || subresource !== "" || finalizer === undefined || object === undefined) return
    const present = object.metadata.finalizers ?? []
    if (!present.includes(finalizer)) object.metadata.finalizers = [...present, finalizer]
  },
}
