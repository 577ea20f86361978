import { type Amount, parseQuantity } from "@pilothouse/api"
import type { PersistentVolume, PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import { type Plan, plan } from "@pilothouse/runtime"

export interface Observed {
  /** It is bound, and requests more than it has. */
  readonly claim: PersistentVolumeClaim
  readonly volume: PersistentVolume | undefined
}

const resizerAnnotation = "volume.kubernetes.io/storage-resizer"

/** Volumes that Kubernetes had code for: the fields of their source, the names of that code, and the drivers that have taken over. */
const migrated = [
  { field: "gcePersistentDisk", plugin: "kubernetes.io/gce-pd", driver: "pd.csi.storage.gke.io" },
  { field: "awsElasticBlockStore", plugin: "kubernetes.io/aws-ebs", driver: "ebs.csi.aws.com" },
  { field: "cinder", plugin: "kubernetes.io/cinder", driver: "cinder.csi.openstack.org" },
  { field: "azureDisk", plugin: "kubernetes.io/azure-disk", driver: "disk.csi.azure.com" },
  { field: "azureFile", plugin: "kubernetes.io/azure-file", driver: "file.csi.azure.com" },
  { field: "vsphereVolume", plugin: "kubernetes.io/vsphere-volume", driver: "csi.vsphere.vmware.com" },
  { field: "portworxVolume", plugin: "kubernetes.io/portworx-volume", driver: "pxd.portworx.com" },
] as const

/** The storage that a claim requests, and what it has. */
export function storageOf({ spec, status }: PersistentVolumeClaim): {
  readonly requested: Amount | undefined
  readonly capacity: Amount | undefined
} {
  const [requested, capacity] = [spec?.resources?.requests?.storage, status?.capacity?.storage]
  return {
    requested: requested === undefined ? undefined : parseQuantity(requested),
    capacity: capacity === undefined ? undefined : parseQuantity(capacity),
  }
}

/** Reports who is to expand the volume; of a volume that a driver has taken over, names the driver on the claim. */
export function decide({ claim, volume }: Observed): Plan {
  const { metadata } = claim
  const { namespace, uid } = volume?.spec?.claimRef ?? {}
  if (volume === undefined || namespace !== metadata.namespace || uid !== metadata.uid)
    return plan().requeueAfter("10s", "its volume may name it then").waitFor("its volume to name it").nothing("its volume does not name it")
  const built = plan()
  const found = migrated.find(({ field }) => volume.spec?.[field] !== undefined)
  if (found === undefined) return built.event(claim, "Normal", "ExternalExpanding", "waiting for an external controller to expand this PVC")
  const message = `CSI migration enabled for ${found.plugin}; waiting for external resizer to expand the pvc`
  built.event(claim, "Normal", "ExternalExpanding", message)
  if (metadata.annotations?.[resizerAnnotation] === found.driver) return built
  const patch = { metadata: { annotations: { [resizerAnnotation]: found.driver } } }
  return built.patch(claim, patch, `the resizer of ${found.driver} expands its volume`, { subresource: "status" })
}
