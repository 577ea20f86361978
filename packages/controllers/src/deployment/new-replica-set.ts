import { controllerRef } from "@pilothouse/api"
import { type Deployment, deployments, type ReplicaSet } from "@pilothouse/api/apps/v1"
import { templateHash } from "../shared/template-hash.ts"
import { revisionAnnotation, sharedAnnotations } from "./annotations.ts"
import { replicasAnnotations } from "./edit.ts"
import { desiredReplicas, isRecreate, maxReplicas } from "./fenceposts.ts"
import { allReplicaSets, hashLabel, type ReplicaSets, specReplicas, totalSpecReplicas } from "./replica-sets.ts"
import { nextRevision } from "./revision.ts"

const maxNameLength = 253

/** Returns how many pods the ReplicaSet of the current template may have now, beside those of the others: upstream's NewRSNewReplicas. */
export function newReplicaSetSize(deployment: Deployment, sets: ReplicaSets): number {
  const desired = desiredReplicas(deployment)
  if (isRecreate(deployment)) return desired
  const size = sets.current === undefined ? 0 : specReplicas(sets.current)
  const room = maxReplicas(deployment) - totalSpecReplicas(allReplicaSets(sets))
  return size + Math.max(0, Math.min(room, desired - size))
}

/** The name is derived from the template: creating it twice finds the first one. */
export function newReplicaSetName(deployment: Deployment): string {
  const hash = podTemplateHash(deployment)
  return `${(deployment.metadata.name ?? "").slice(0, maxNameLength - 1 - hash.length)}-${hash}`
}

/** Returns the ReplicaSet of the current template, named after the hash of the template, with the next revision. */
export function newReplicaSet(deployment: Deployment, { old }: ReplicaSets, replicas: number): ReplicaSet {
  const { template, selector, minReadySeconds } = deployment.spec!
  const hash = { [hashLabel]: podTemplateHash(deployment) }
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

function podTemplateHash({ spec, status }: Deployment): string {
  return templateHash(spec?.template, status?.collisionCount)
}
