import type { KubeObject } from "@pilothouse/api"
import { since } from "./made.ts"

interface PodParts {
  readonly spec?: { readonly nodeName?: string }
  readonly status?: object
}

function withStatus(pod: KubeObject, status: object): KubeObject {
  return { ...pod, status: { ...(pod as PodParts).status, ...status } } as KubeObject
}

function withMetadata(pod: KubeObject, metadata: Partial<KubeObject["metadata"]>): KubeObject {
  return { ...pod, metadata: { ...pod.metadata, ...metadata } }
}

/** The same pod, ready or not: what most events of pods in a cluster are about. */
export function withReadiness(pod: KubeObject, ready: boolean): KubeObject {
  return withStatus(pod, { conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: since }] })
}

export function finished(pod: KubeObject): KubeObject {
  return withStatus(pod, { phase: "Succeeded" })
}

/** No scheduler has found a node for it yet. */
export function unplaced(pod: KubeObject): KubeObject {
  const { nodeName: _, ...spec } = (pod as PodParts).spec ?? {}
  return withStatus({ ...pod, spec } as KubeObject, { phase: "Pending" })
}

export function stopping(pod: KubeObject): KubeObject {
  return withMetadata(pod, { deletionTimestamp: since, deletionGracePeriodSeconds: 30 })
}

/** Its owner was deleted, and another one has its name. Not the owner of any other pod, nor of this one the last time: no cache knows it to be gone. */
export function leftBehind(pod: KubeObject, round: number): KubeObject {
  const { name, ownerReferences: owners = [] } = pod.metadata
  const ownerReferences = owners.map((one) => ({ ...one, uid: `${one.uid}-of-${name}-${round}` }))
  return withMetadata(pod, { ownerReferences })
}

/** Marked long ago by a client that was to delete it, and did not. */
export function withStaleMark(pod: KubeObject): KubeObject {
  const mark = { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", lastTransitionTime: since }
  return withStatus(pod, { conditions: [{ type: "Ready", status: "True", lastTransitionTime: since }, mark] })
}
