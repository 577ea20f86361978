import { parseTime } from "@pilothouse/api"
import type { PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import type { StorageClass } from "@pilothouse/api/storage/v1"
import { annotationOf, betaStorageClass, hasAnnotation, selectedNode } from "./annotations.ts"

/** Whether somebody has chosen a class, if only "". */
export function hasClass(claim: PersistentVolumeClaim): boolean {
  return hasAnnotation(claim, betaStorageClass) || claim.spec?.storageClassName !== undefined
}

const defaultAnnotations = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"]

export function isDefaultClass(storageClass: StorageClass): boolean {
  return defaultAnnotations.some((annotation) => annotationOf(storageClass, annotation) === "true")
}

/** The newest, when several say that they are it; then the first by name. */
export function defaultClassOf(classes: readonly StorageClass[]): StorageClass | undefined {
  const made = ({ metadata }: StorageClass) => parseTime(metadata.creationTimestamp ?? "1970-01-01T00:00:00Z")
  const name = ({ metadata }: StorageClass) => metadata.name ?? ""
  return classes.filter(isDefaultClass).sort((a, b) => made(b) - made(a) || (name(a) < name(b) ? -1 : 1))[0]
}

/** Whether the claim gets its volume only when a pod needs it, so that both come to the same place. */
export function isDelayed(storageClass: StorageClass | undefined): boolean {
  return storageClass?.volumeBindingMode === "WaitForFirstConsumer"
}

/** Whether the scheduler has chosen the place. */
export function isPlaced(claim: PersistentVolumeClaim): boolean {
  return hasAnnotation(claim, selectedNode)
}
