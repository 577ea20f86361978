import { type PersistentVolumeClaim, pods } from "@pilothouse/api/core/v1"
import { type StorageClass, storageClasses } from "@pilothouse/api/storage/v1"
import type { ClusterView } from "./cluster-view.ts"
import { degraded, healthy, progressing, type Verdict } from "./verdict.ts"

/** Bound, on its way to a volume, or why no volume comes. */
export function claimVerdict(claim: PersistentVolumeClaim, view: ClusterView): Verdict {
  const { spec, status } = claim
  if (status?.phase === "Bound") return healthy(`bound to ${spec?.volumeName}`)
  if (status?.phase === "Lost") return degraded(`lost: its volume ${spec?.volumeName} does not exist any more`)
  return pendingClaim(claim, view)
}

function pendingClaim(claim: PersistentVolumeClaim, view: ClusterView): Verdict {
  const name = claim.spec?.storageClassName ?? ""
  const found = name === "" ? undefined : view.find(storageClasses, name)
  const failed = view.warning(claim, "ProvisioningFailed", "FailedBinding")
  if (name !== "" && found === undefined && failed !== undefined)
    return degraded(
      `not bound: its StorageClass ${name} does not exist`,
      `create the StorageClass ${name}, or name one of: ${classNames(view)}`,
    )
  if (failed?.reason === "ProvisioningFailed") return degraded(`not bound: ${failed.message}`)
  return found === undefined ? withoutVolume(claim, "it names no StorageClass") : waitingFor(claim, found, view)
}

function withoutVolume({ metadata }: PersistentVolumeClaim, why: string): Verdict {
  return degraded(
    `not bound: no PersistentVolume fits, and ${why}`,
    `"pilothouse explain pvc/${metadata.name}" shows the volumes that are there`,
  )
}

function waitingFor(claim: PersistentVolumeClaim, found: StorageClass, view: ClusterView): Verdict {
  const { name } = found.metadata
  if (waitsForPod(found) && !isUsed(claim, view))
    return progressing(`not bound: its StorageClass ${name} waits for the first pod that uses it`)
  if (found.provisioner === "kubernetes.io/no-provisioner") return withoutVolume(claim, `the StorageClass ${name} makes none`)
  return progressing(`not bound: ${found.provisioner} has not made a volume yet`)
}

function waitsForPod(found: StorageClass): boolean {
  return found.volumeBindingMode === "WaitForFirstConsumer"
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
