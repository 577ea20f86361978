import { type Int64, type KubeObject, parseInt64 } from "@pilothouse/api"
import type { Deployment, ReplicaSet } from "@pilothouse/api/apps/v1"

export const revisionAnnotation = "deployment.kubernetes.io/revision"
export const historyAnnotation = "deployment.kubernetes.io/revision-history"
export const desiredAnnotation = "deployment.kubernetes.io/desired-replicas"
export const maxAnnotation = "deployment.kubernetes.io/max-replicas"
export const rollbackAnnotation = "deprecated.deployment.rollback.to"

export type Annotations = Readonly<Record<string, string>>

/** What belongs to one object alone, and is never copied between a Deployment and its ReplicaSets. */
const ownAnnotations: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  rollbackAnnotation,
])

export function objectAnnotations({ metadata }: KubeObject): Annotations {
  return metadata.annotations ?? {}
}

export function sharedAnnotations(object: KubeObject): Annotations {
  return pick(object, (key) => !ownAnnotations.has(key))
}

export function unsharedAnnotations(object: KubeObject): Annotations {
  return pick(object, (key) => ownAnnotations.has(key))
}

function pick(object: KubeObject, accepts: (key: string) => boolean): Annotations {
  return Object.fromEntries(Object.entries(objectAnnotations(object)).filter(([key]) => accepts(key)))
}

/** The number a ReplicaSet was last sized for, or the most pods there could be then; undefined when it is missing or no such number. */
export function countIn(set: ReplicaSet, annotation: typeof desiredAnnotation | typeof maxAnnotation): number | undefined {
  const text = objectAnnotations(set)[annotation] ?? ""
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN
  return count < 2 ** 31 ? count : undefined
}

/** 0 when there is none; undefined when it is no number of 64 bits: such a ReplicaSet has no place in the order. */
export function revisionNumber(object: ReplicaSet | Deployment): Int64 | undefined {
  const text = objectAnnotations(object)[revisionAnnotation] ?? ""
  return text === "" ? 0 : parseInt64(text)
}

/** The revision to go back to; 0 means the one before. */
export function rollbackRevision(deployment: Deployment): Int64 | undefined {
  return parseInt64(objectAnnotations(deployment)[rollbackAnnotation] ?? "")
}
