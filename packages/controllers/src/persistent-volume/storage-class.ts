import { parseTime } from "@pilothouse/api"
import type { PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import type { StorageClass } from "@pilothouse/api/storage/v1"
import { betaStorageClass, getAnnotation, hasAnnotation, selectedNode } from "./annotations.ts"

/** Reports whether the claim names a class, even if it is "". */
export function hasClass(claim: PersistentVolumeClaim): boolean {
  return hasAnnotation(claim, betaStorageClass) || claim.spec?.storageClassName !== undefined
}

const defaultAnnotations = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"]

export function isDefaultClass(storageClass: StorageClass): boolean {
  return defaultAnnotations.some((annotation) => getAnnotation(storageClass, annotation) === "true")
}

/** Returns the newest default class; of equally old ones the first by name. */
export function newestDefaultClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const made = ({ metadata }: StorageClass) => parseTime(metadata.creationTimestamp ?? "1970-01-01T00:00:00Z")
  const name = ({ metadata }: StorageClass) => metadata.name ?? ""
  return classes.filter(isDefaultClass).sort((a, b) => made(b) - made(a) || (name(a) < name(b) ? -1 : 1))[0]
}

/** Reports whether binding waits for the first pod, so that volume and pod get the same topology. */
export function waitsForFirstConsumer(storageClass: StorageClass | undefined): boolean {
  return storageClass?.volumeBindingMode === "WaitForFirstConsumer"
}

/** Reports whether the scheduler has chosen a node. */
export function hasSelectedNode(claim: PersistentVolumeClaim): boolean {
  return hasAnnotation(claim, selectedNode)
}
