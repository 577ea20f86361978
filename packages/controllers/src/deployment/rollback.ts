import type { Deployment } from "@pilothouse/api/apps/v1"
import type { PlannedEvent } from "@pilothouse/runtime"
import { ownAnnotationsOf, revisionOf, rollbackAnnotation, rollbackRevision, sharedAnnotations } from "./annotations.ts"
import { allOf, hasTemplateOf, type ReplicaSets, withoutHash } from "./replica-sets.ts"
import { lastRevision } from "./revision.ts"

/** What `kubectl rollout undo` of old asked for. In any case the request is taken away. */
export interface Rollback {
  readonly deployment: Deployment
  readonly event: Omit<PlannedEvent, "about">
}

export function rollback(deployment: Deployment, sets: ReplicaSets): Rollback | undefined {
  const asked = rollbackRevision(deployment)
  if (asked === undefined) return undefined
  const { name } = deployment.metadata
  const revision = asked === 0 ? lastRevision(allOf(sets)) : asked
  const target = revision === 0 ? undefined : allOf(sets).find((set) => revisionOf(set) === revision)
  if (target === undefined) {
    const message = revision === 0 ? "Unable to find last revision." : "Unable to find the revision to rollback to."
    return { deployment: answered(deployment), event: { type: "Warning", reason: "DeploymentRollbackRevisionNotFound", message } }
  }
  if (hasTemplateOf(target, deployment)) {
    const message = `The rollback revision contains the same template as current deployment "${name}"`
    return { deployment: answered(deployment), event: { type: "Warning", reason: "DeploymentRollbackTemplateUnchanged", message } }
  }
  const message = `Rolled back deployment "${name}" to revision ${revision}`
  const annotations = { ...ownAnnotationsOf(deployment), ...sharedAnnotations(target) }
  const template = withoutHash(target.spec?.template)!
  const back = { ...deployment, metadata: { ...deployment.metadata, annotations }, spec: { ...deployment.spec!, template } }
  return { deployment: answered(back), event: { type: "Normal", reason: "DeploymentRollback", message } }
}

function answered(deployment: Deployment): Deployment {
  const { [rollbackAnnotation]: _asked, ...annotations } = deployment.metadata.annotations ?? {}
  return { ...deployment, metadata: { ...deployment.metadata, annotations } }
}
