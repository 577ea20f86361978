import { deepEqual } from "@pilothouse/api"
import type { Deployment, DeploymentStatus } from "@pilothouse/api/apps/v1"
import type { PlanBuilder } from "@pilothouse/runtime"
import { annotationsOf, revisionAnnotation } from "./annotations.ts"
import { wantedReplicas } from "./fenceposts.ts"

/**
 * Writes status and revision where they are not true; says whether it had to.
 * The revision is an annotation of the Deployment, and goes with the status: one write instead of two.
 */
export function writeStatus(built: PlanBuilder, deployment: Deployment, status: DeploymentStatus, revision: string | undefined): boolean {
  const isRevised = revision === undefined || annotationsOf(deployment)[revisionAnnotation] === revision
  if (isRevised && deepEqual(status, deployment.status)) return false
  const annotations = isRevised ? deployment.metadata.annotations : { ...annotationsOf(deployment), [revisionAnnotation]: revision }
  const object = { ...deployment, metadata: { ...deployment.metadata, annotations } }
  // Whoever was quicker is no failure: the next look writes it.
  built.operation({ do: "status", object, status, reason: summaryOf(deployment, status), tolerate: ["Conflict", "NotFound"] })
  return true
}

export function summaryOf(deployment: Deployment, status: DeploymentStatus): string {
  const { availableReplicas = 0, updatedReplicas = 0, terminatingReplicas = 0 } = status
  const going = terminatingReplicas > 0 ? `; ${terminatingReplicas} more on their way out` : ""
  return `${availableReplicas} of ${wantedReplicas(deployment)} pods available, ${updatedReplicas} with the current template${going}`
}
