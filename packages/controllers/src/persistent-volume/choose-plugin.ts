import type { PersistentVolume } from "@pilothouse/api/core/v1"
import type { StorageClass } from "@pilothouse/api/storage/v1"
import { annotationOf, internalPrefix, migratedTo, provisionedBy } from "./annotations.ts"
import type { VolumePlugin } from "./plugins/volume-plugin.ts"

export type Plugins = readonly VolumePlugin[]

/** Who does it: a plugin of ours, somebody else who watches the same objects, or nobody, and why. */
export type Choice =
  | { readonly by: "plugin"; readonly plugin: VolumePlugin }
  | { readonly by: "others"; readonly name: string }
  | { readonly by: "nobody"; readonly message: string }

/** Plugins of old whose work CSI drivers do now, under the drivers' names. */
const drivers: Readonly<Record<string, string>> = {
  "kubernetes.io/aws-ebs": "ebs.csi.aws.com",
  "kubernetes.io/azure-disk": "disk.csi.azure.com",
  "kubernetes.io/azure-file": "file.csi.azure.com",
  "kubernetes.io/cinder": "cinder.csi.openstack.org",
  "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
  "kubernetes.io/portworx-volume": "pxd.portworx.com",
  "kubernetes.io/vsphere-volume": "csi.vsphere.vmware.com",
}

export function provisionerFor({ provisioner }: StorageClass, plugins: Plugins): Choice {
  const driver = drivers[provisioner]
  if (driver !== undefined) return { by: "others", name: driver }
  const choice = named(provisioner, plugins)
  if (choice.by === "plugin" && choice.plugin.provisioner === undefined)
    return { by: "nobody", message: "no provisionable volume plugin matched" }
  return choice
}

/** The one that made the volume; for a volume that a person made, the one that knows its kind. */
export function deleterFor(volume: PersistentVolume, plugins: Plugins): Choice {
  const driver = annotationOf(volume, migratedTo) || volume.spec?.csi?.driver
  const maker = annotationOf(volume, provisionedBy)
  if (maker) return drivers[maker] === undefined ? deleting(named(maker, plugins)) : { by: "others", name: drivers[maker] }
  if (driver) return { by: "others", name: driver }
  const plugin = plugins.find((one) => one.supports(volume))
  const choice = deleting(plugin === undefined ? { by: "nobody", message: "no volume plugin matched" } : { by: "plugin", plugin })
  if (choice.by !== "nobody") return choice
  return { by: "nobody", message: `error getting deleter volume plugin for volume "${volume.metadata.name}": ${choice.message}` }
}

function deleting(choice: Choice): Choice {
  if (choice.by !== "plugin" || choice.plugin.delete !== undefined) return choice
  return { by: "nobody", message: "no deletable volume plugin matched" }
}

export function recyclerFor(volume: PersistentVolume, plugins: Plugins): Choice {
  const driver = annotationOf(volume, migratedTo)
  if (driver) return { by: "others", name: driver }
  const plugin = plugins.find((one) => one.supports(volume) && one.recycle !== undefined)
  return plugin === undefined ? { by: "nobody", message: "No recycler plugin found for the volume!" } : { by: "plugin", plugin }
}

/** A name that does not look like one of ours is somebody else's. */
function named(name: string, plugins: Plugins): Choice {
  const plugin = plugins.find((one) => one.name === name)
  if (plugin !== undefined) return { by: "plugin", plugin }
  if (!name.startsWith(internalPrefix)) return { by: "others", name }
  return { by: "nobody", message: `no volume plugin matched name: ${name}` }
}
