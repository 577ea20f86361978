import { isMirrorPod, podConfigMaps, podSecrets } from "@pilothouse/api"
import type { PersistentVolume, Pod } from "@pilothouse/api/core/v1"

/** An object of the graph: its resource, namespace ("" for cluster-scoped ones) and name. */
export function vertex(resource: string, namespace: string, name: string): string {
  return `${resource}/${namespace}/${name}`
}

/**
 * Returns a pod and all objects that its node may read for it. Of a mirror pod, which a node makes by itself, the pod alone: no node can give rights
 * to itself.
 */
export function podReferences(pod: Pod): readonly string[] {
  const { namespace = "", name = "" } = pod.metadata
  const own = vertex("pods", namespace, name)
  if (isMirrorPod(pod)) return [own]
  const all = (resource: string, names: readonly string[]) => names.map((one) => vertex(resource, namespace, one))
  const account = pod.spec?.serviceAccountName ?? ""
  return [
    own,
    ...all("serviceaccounts", account === "" ? [] : [account]),
    ...all("secrets", podSecrets(pod)),
    ...all("configmaps", podConfigMaps(pod)),
    ...all("persistentvolumeclaims", volumeClaims(pod)),
    ...all("resourceclaims", resourceClaims(pod)),
  ]
}

function volumeClaims({ metadata, spec }: Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName]
    return ephemeral === undefined ? [] : [`${metadata.name}-${name}`]
  })
}

/** A claim of a template has the name that the pod's status says; there is none yet where it says nothing. */
function resourceClaims({ spec, status }: Pod): readonly string[] {
  const generated = new Map((status?.resourceClaimStatuses ?? []).map(({ name, resourceClaimName }) => [name, resourceClaimName]))
  const named = (spec?.resourceClaims ?? []).map(({ name, resourceClaimName }) => resourceClaimName ?? generated.get(name))
  return [...named, status?.extendedResourceClaimStatus?.resourceClaimName].flatMap((name) => name || [])
}

/** Reports whether a change of a pod left its references as they were. Most changes are of its status. */
export function sameReferences(before: Pod, after: Pod): boolean {
  return (
    before.spec === after.spec &&
    before.metadata.uid === after.metadata.uid &&
    isMirrorPod(before) === isMirrorPod(after) &&
    before.status?.resourceClaimStatuses === after.status?.resourceClaimStatuses &&
    before.status?.extendedResourceClaimStatus === after.status?.extendedResourceClaimStatus
  )
}

interface SecretReference {
  readonly name?: string
  readonly namespace?: string
}

/** Returns the Secrets that a kubelet reads to mount a volume. Some volumes of old mean the namespace of their claim where they name none. */
export function volumeSecrets({ spec = {} }: PersistentVolume): readonly string[] {
  const { azureFile, csi, cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos, claimRef } = spec
  const ofClaim = claimRef?.namespace ?? ""
  const orOfClaim = ({ name, namespace = "" }: SecretReference = {}) => ({ name, namespace: namespace || ofClaim })
  const found: readonly (SecretReference | undefined)[] = [
    azureFile && orOfClaim({ name: azureFile.secretName, namespace: azureFile.secretNamespace }),
    ...[cephfs, flexVolume, rbd, scaleIO, iscsi].map((source) => orOfClaim(source?.secretRef)),
    cinder?.secretRef,
    storageos?.secretRef,
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodeExpandSecretRef,
  ]
  return found.flatMap((one) => (one?.name ? [vertex("secrets", one.namespace ?? "", one.name)] : []))
}
