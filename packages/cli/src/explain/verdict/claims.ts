import { type PersistentVolumeClaim, pods } from "@pilothouse/api/core/v1"
import { type StorageClass, storageClasses } from "@pilothouse/api/storage/v1"
import type { ClusterView } from "./cluster-view.ts"
import { degraded, healthy, progressing, type Verdict } from "./verdict.ts"

/** Bound, on its way to a volume, or why no volume comes. */
export function claimVerdict(claim: PersistentVolumeClaim, view: ClusterView): Verdict {
  const { spec, status, metadata } = claim
  if (status?.phase === "Bound") return healthy(`bound to ${spec?.volumeName}`)
  if (status?.phase === "Lost") return degraded(`lost: its volume ${spec?.volumeName} does not exist any more`)
  const name = spec?.storageClassName
  const found = name ? view.find(storageClasses, name) : undefined
  if (name && found === undefined && view.warning(claim, "FailedBinding", "ProvisioningFailed") !== undefined)
    return degraded(
      `not bound: its StorageClass ${name} does not exist`,
      `create the StorageClass ${name}, or name one of: ${classNames(view)}`,
    )
  const failed = view.warning(claim, "ProvisioningFailed")?.message
  if (failed !== undefined) return degraded(`not bound: ${failed}`)
  if (waitsForPod(found) && !isUsed(claim, view))
    return progressing(`not bound: its StorageClass ${name} waits for the first pod that uses it`)
  if (!name || found?.provisioner === "kubernetes.io/no-provisioner")
    return degraded(
      `not bound: no PersistentVolume fits, and ${name ? `the StorageClass ${name} makes none` : "it names no StorageClass"}`,
      `"pilothouse explain pvc/${metadata.name}" shows the volumes that are there`,
    )
  return progressing(`not bound: ${found?.provisioner ?? "its provisioner"} has not made a volume yet`)
}

function waitsForPod(found: StorageClass | undefined): boolean {
  return found?.volumeBindingMode === "WaitForFirstConsumer"
}

function isUsed({ metadata }: PersistentVolumeClaim, view: ClusterView): boolean {
  return view
    .list(pods)
    .some(
      (pod) =>
        pod.metadata.namespace === metadata.namespace &&
        (pod.spec?.volumes ?? []).some(
          ({ name, persistentVolumeClaim, ephemeral }) =>
            persistentVolumeClaim?.claimName === metadata.name ||
            (ephemeral !== undefined && `${pod.metadata.name}-${name}` === metadata.name),
        ),
    )
}

function classNames(view: ClusterView): string {
  return (
    view
      .list(storageClasses)
      .map(({ metadata }) => metadata.name)
      .join(", ") || "none, as there is none"
  )
}
