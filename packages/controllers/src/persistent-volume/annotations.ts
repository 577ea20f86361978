import type { KubeObject } from "@pilothouse/api"

/** On a claim: it has been bound once. From then on a missing volume is lost. */
export const bindCompleted = "pv.kubernetes.io/bind-completed"
/** On a claim or volume: the controller, not a user, made the link to the other. */
export const boundByController = "pv.kubernetes.io/bound-by-controller"
/** On a volume: its provisioner. */
export const provisionedBy = "pv.kubernetes.io/provisioned-by"
/** On a volume: the CSI driver that has taken over from the plugin that made it. */
export const migratedTo = "pv.kubernetes.io/migrated-to"
/** On a claim: the node that the scheduler chose. */
export const selectedNode = "volume.kubernetes.io/selected-node"
/** On a claim: its provisioner. */
export const storageProvisioner = "volume.kubernetes.io/storage-provisioner"
export const betaStorageProvisioner = "volume.beta.kubernetes.io/storage-provisioner"
/** On older claims and volumes: the class. */
export const betaStorageClass = "volume.beta.kubernetes.io/storage-class"

/** Keeps a volume of an internal plugin until its storage is deleted. */
export const reclaimFinalizer = "kubernetes.io/pv-controller"
export const externalFinalizer = "external-provisioner.volume.kubernetes.io/finalizer"

export const internalPrefix = "kubernetes.io/"

export function getAnnotation({ metadata }: Pick<KubeObject, "metadata">, key: string): string | undefined {
  return metadata.annotations?.[key]
}

export function hasAnnotation(object: Pick<KubeObject, "metadata">, key: string): boolean {
  return getAnnotation(object, key) !== undefined
}

export function withAnnotations<T extends Pick<KubeObject, "metadata">>(object: T, added: Readonly<Record<string, string>>): T {
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...added } } }
}

/** Returns the object without the annotation; an empty map is removed too. */
export function withoutAnnotation<T extends Pick<KubeObject, "metadata">>(object: T, key: string): T {
  const { annotations = {}, ...metadata } = object.metadata
  const left = Object.entries(annotations).filter(([name]) => name !== key)
  return { ...object, metadata: left.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(left) } }
}
