import type { PersistentVolume } from "@pilothouse/api/core/v1"
import type { StorageClass } from "@pilothouse/api/storage/v1"
import { getAnnotation, internalPrefix, migratedTo, provisionedBy } from "./annotations.ts"
import type { VolumePlugin } from "./plugins/volume-plugin.ts"

export type Plugins = readonly VolumePlugin[]

/** Which component does it: a plugin of this process, an external one that watches the same objects, or none, with the reason. */
export type Choice =
  | { readonly by: "plugin"; readonly plugin: VolumePlugin }
  | { readonly by: "external"; readonly name: string }
  | { readonly by: "none"; readonly message: string }

/** Former in-tree plugins and the CSI drivers that replace them. */
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
  if (driver !== undefined) return { by: "external", name: driver }
  const choice = pluginByName(provisioner, plugins)
  if (choice.by === "plugin" && choice.plugin.provisioner === undefined)
    return { by: "none", message: "no provisionable volume plugin matched" }
  return choice
}

/** Returns the plugin that provisioned the volume; for a manually created volume, the one that supports it. */
export function deleterFor(volume: PersistentVolume, plugins: Plugins): Choice {
  const driver = getAnnotation(volume, migratedTo) || volume.spec?.csi?.driver
  const maker = getAnnotation(volume, provisionedBy)
  if (maker) return drivers[maker] === undefined ? requireDelete(pluginByName(maker, plugins)) : { by: "external", name: drivers[maker] }
  if (driver) return { by: "external", name: driver }
  const plugin = plugins.find((one) => one.supports(volume))
  const choice = requireDelete(plugin === undefined ? { by: "none", message: "no volume plugin matched" } : { by: "plugin", plugin })
  if (choice.by !== "none") return choice
  return { by: "none", message: `error getting deleter volume plugin for volume "${volume.metadata.name}": ${choice.message}` }
}

function requireDelete(choice: Choice): Choice {
  if (choice.by !== "plugin" || choice.plugin.delete !== undefined) return choice
  return { by: "none", message: "no deletable volume plugin matched" }
}

export function recyclerFor(volume: PersistentVolume, plugins: Plugins): Choice {
  const driver = getAnnotation(volume, migratedTo)
  if (driver) return { by: "external", name: driver }
  const plugin = plugins.find((one) => one.supports(volume) && one.recycle !== undefined)
  return plugin === undefined ? { by: "none", message: "No recycler plugin found for the volume!" } : { by: "plugin", plugin }
}

/** A name without the internal prefix belongs to an external provisioner. */
function pluginByName(name: string, plugins: Plugins): Choice {
  const plugin = plugins.find((one) => one.name === name)
  if (plugin !== undefined) return { by: "plugin", plugin }
  if (!name.startsWith(internalPrefix)) return { by: "external", name }
  return { by: "none", message: `no volume plugin matched name: ${name}` }
}
