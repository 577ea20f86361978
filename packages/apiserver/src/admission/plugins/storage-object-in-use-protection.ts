import type { AdmissionPlugin } from "../plugin.ts"

/** An object stays while it is in use: a plugin adds the finalizer, and the protection controllers remove it. */
function addsFinalizers(name: string, finalizers: Readonly<Record<string, string>>): AdmissionPlugin {
  return {
    name,
    admit({ operation, resource, subresource, object }) {
      const { group, plural } = resource.descriptor
      const finalizer = finalizers[`${group}/${plural}`]
      if (operation !== "CREATE" || subresource !== "" || finalizer === undefined || object === undefined) return
      const present = object.metadata.finalizers ?? []
      if (!present.includes(finalizer)) object.metadata.finalizers = [...present, finalizer]
    },
  }
}

/** By group and plural, as in "storage.k8s.io/volumeattributesclasses". */
export const storageObjectInUseProtection = addsFinalizers("StorageObjectInUseProtection", {
  "/persistentvolumeclaims": "kubernetes.io/pvc-protection",
  "/persistentvolumes": "kubernetes.io/pv-protection",
  "storage.k8s.io/volumeattributesclasses": "kubernetes.io/vac-protection",
})

/** Keeps a PodGroup until no pod belongs to it any more. */
export const podGroupProtection = addsFinalizers("PodGroupProtection", {
  "scheduling.k8s.io/podgroups": "scheduling.k8s.io/podgroup-protection",
})
