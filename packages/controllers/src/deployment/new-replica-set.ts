import { controllerRef } from "@pilothouse/api"
import { type Deployment, deployments, type ReplicaSet } from "@pilothouse/api/apps/v1"
import { templateHash } from "../shared/template-hash.ts"
import { revisionAnnotation, sharedAnnotations } from "./annotations.ts"
import { replicasAnnotations } from "./edit.ts"
import { isRecreate, mostReplicas, wantedReplicas } from "./fenceposts.ts"
import { allOf, hashLabel, type ReplicaSets, sizeOf, totalSize } from "./replica-sets.ts"
import { nextRevision } from "./revision.ts"

const longestName = 253

/** How many pods the ReplicaSet of the present template may have now, with those of the others still there. */
export function roomForNew(deployment: Deployment, sets: ReplicaSets): number {
  const wanted = wantedReplicas(deployment)
  if (isRecreate(deployment)) return wanted
  const size = sets.current === undefined ? 0 : sizeOf(sets.current)
  const room = mostReplicas(deployment) - totalSize(allOf(sets))
  return size + Math.max(0, Math.min(room, wanted - size))
}

/** The name tells the template: whoever makes it twice finds the first one. */
export function newReplicaSetName(deployment: Deployment): string {
  const hash = hashOf(deployment)
  return `${(deployment.metadata.name ?? "").slice(0, longestName - 1 - hash.length)}-${hash}`
}

export function newReplicaSet(deployment: Deployment, { old }: ReplicaSets, replicas: number): ReplicaSet {
  const { template, selector, minReadySeconds } = deployment.spec!
  const hash = { [hashLabel]: hashOf(deployment) }
  const labels = { ...template.metadata?.labels, ...hash }
  const revision = { [revisionAnnotation]: String(nextRevision(old)) }
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: newReplicaSetName(deployment),
      namespace: deployment.metadata.namespace,
      labels,
      annotations: { ...sharedAnnotations(deployment), ...revision, ...replicasAnnotations(deployment) },
      ownerReferences: [controllerRef(deployment, deployments)],
    },
    spec: {
      replicas,
      minReadySeconds,
      selector: { ...selector, matchLabels: { ...selector.matchLabels, ...hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  }
}

function hashOf({ spec, status }: Deployment): string {
  return templateHash(spec?.template, status?.collisionCount)
}
