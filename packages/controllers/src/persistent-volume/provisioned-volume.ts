import { storageClassOf } from "@pilothouse/api"
import type { PersistentVolume } from "@pilothouse/api/core/v1"
import { messageOf } from "@pilothouse/seams"
import { boundByController, getAnnotation, provisionedBy, reclaimFinalizer, selectedNode } from "./annotations.ts"
import { claimReference } from "./bind.ts"
import type { ObservedClaim } from "./observe-claim.ts"
import type { DescribedVolume, VolumePlugin } from "./plugins/volume-plugin.ts"
import { provisionedPrefix } from "./plugins/volume-plugin.ts"

/** Returns the volume to create, already bound to its claim; or the reason why it cannot be provisioned. */
export function describeVolume(observed: ObservedClaim, plugin: VolumePlugin): PersistentVolume | string {
  const { claim, class: storageClass, node } = observed
  if (claim.spec?.dataSource !== undefined) {
    return `plugin "${plugin.name}" is not a CSI plugin. Only CSI plugin can provision a claim with a datasource`
  }
  const options = storageClass?.mountOptions ?? []
  if (plugin.mountOptions !== true && options.length > 0) {
    return `Mount options are not supported by the provisioner but StorageClass "${storageClass?.metadata.name}" has mount options [${options.join(" ")}]`
  }
  const wanted = getAnnotation(claim, selectedNode)
  if (wanted !== undefined && node === undefined) return `Failed to get target node: node "${wanted}" not found`
  const name = `${provisionedPrefix}${claim.metadata.uid}`
  try {
    return boundVolume(observed, plugin.name, name, plugin.provisioner!.describe({ name, claim, class: storageClass!, node }))
  } catch (error) {
    return `Failed to create provisioner: ${messageOf(error)}`
  }
}

function boundVolume(
  { claim, class: storageClass }: ObservedClaim,
  maker: string,
  name: string,
  described: DescribedVolume,
): PersistentVolume {
  const policy = storageClass?.reclaimPolicy ?? "Delete"
  const options = storageClass?.mountOptions
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name,
      annotations: { ...described.annotations, [boundByController]: "yes", [provisionedBy]: maker },
      ...(policy === "Delete" && { finalizers: [reclaimFinalizer] }),
    },
    spec: {
      ...described.spec,
      persistentVolumeReclaimPolicy: policy,
      storageClassName: storageClassOf(claim),
      claimRef: claimReference(claim),
      ...(options !== undefined && { mountOptions: options }),
    },
  }
}
