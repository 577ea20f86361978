import type { KubeObject } from "@pilothouse/api"

/** On a claim: it has been bound once. From then on a missing volume is a lost one. */
export const bindCompleted = "pv.kubernetes.io/bind-completed"
/** On a claim or volume: the link to the other was made by this loop, not by a person. */
export const boundByController = "pv.kubernetes.io/bound-by-controller"
/** On a volume: who made it. */
export const provisionedBy = "pv.kubernetes.io/provisioned-by"
/** On a volume: the CSI driver that has taken over from the plugin that made it. */
export const migratedTo = "pv.kubernetes.io/migrated-to"
/** On a claim: the node that the scheduler chose. */
export const selectedNode = "volume.kubernetes.io/selected-node"
/** On a claim: who shall make a volume for it. */
export const storageProvisioner = "volume.kubernetes.io/storage-provisioner"
export const betaStorageProvisioner = "volume.beta.kubernetes.io/storage-provisioner"
/** On claims and volumes of old: the class. */
export const betaStorageClass = "volume.beta.kubernetes.io/storage-class"

/** Keeps a volume that a plugin of ours made until what is behind it has gone. */
export const reclaimFinalizer = "kubernetes.io/pv-controller"
export const externalFinalizer = "external-provisioner.volume.kubernetes.io/finalizer"

export const internalPrefix = "kubernetes.io/"

export function annotationOf({ metadata }: Pick<KubeObject, "metadata">, key: string): string | undefined {
  return metadata.annotations?.[key]
}

export function hasAnnotation(object: Pick<KubeObject, "metadata">, key: string): boolean {
  return annotationOf(object, key) !== undefined
}

export function withAnnotations<T extends Pick<KubeObject, "metadata">>(object: T, added: Readonly<Record<string, string>>): T {
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...added } } }
}

/** An emptied set goes too. */
export function withoutAnnotation<T extends Pick<KubeObject, "metadata">>(object: T, key: string): T {
  const { annotations = {}, ...metadata } = object.metadata
  const left = Object.entries(annotations).filter(([name]) => name !== key)
  return { ...object, metadata: left.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(left) } }
}
