import { hasCause, isAlreadyExists } from "@pilothouse/api"
import type { StatefulSet } from "@pilothouse/api/apps/v1"
import { type DecideContext, type KubeOperation, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { needsStatusWrite } from "../shared/needs-status-write.ts"
import type { Observed } from "./observe.ts"
import { ordinalIn, podName } from "./ordinals.ts"
import { setVersions } from "./revisions.ts"
import { nextStatus, reportStatus } from "./status.ts"

/** Records events for pods and claims. After a failure no pod event may enqueue the set, so the status is written here. */
export function settle(observed: Observed, results: readonly Result[], { now }: DecideContext): Plan {
  const { set } = observed
  const built = plan()
  if (set.metadata.deletionTimestamp !== undefined) return built
  for (const { operation, ...result } of results) {
    if (!("object" in operation) || result.ok === "skipped") continue
    const error = result.ok ? undefined : result.error
    if (operation.object.kind === "Pod") recordPodEvent(built, set, operation, error)
    if (operation.object.kind === "PersistentVolumeClaim") recordClaimEvent(built, set, operation, error)
  }
  return needsStatusWrite(results, kinds) ? reportStatus(built, observed, nextStatus(observed, setVersions(observed), now)) : built
}

const kinds = ["Pod", "PersistentVolumeClaim"]
const verbs: Readonly<Record<string, string>> = { create: "Create", update: "Update", delete: "Delete" }

function recordPodEvent(built: PlanBuilder, set: StatefulSet, operation: KubeOperation, error: unknown): void {
  const verb = verbs[operation.do]
  const what = `${verb} Pod ${operation.object.metadata.name} in StatefulSet ${set.metadata.name}`
  if (verb === undefined) return
  if (error === undefined) built.event(set, "Normal", `Successful${verb}`, `${what} successful`)
  else if (isReportable(error)) built.event(set, "Warning", `Failed${verb}`, `${what} failed error: ${messageOf(error)}`)
}

function recordClaimEvent(built: PlanBuilder, set: StatefulSet, operation: KubeOperation, error: unknown): void {
  const claim = operation.object.metadata.name ?? ""
  const pod = podName(set, ordinalIn(claim) ?? 0)
  const [owner, message] = [set.metadata.name, messageOf(error)]
  if (operation.do === "create" && error === undefined) {
    built.event(set, "Normal", "SuccessfulCreate", `Create Claim ${claim} Pod ${pod} in StatefulSet ${owner} success`)
  } else if (operation.do === "create" && isReportable(error)) {
    built.event(set, "Warning", "FailedCreate", `Create Claim ${claim} for Pod ${pod} in StatefulSet ${owner} failed error: ${message}`)
    built.event(
      set,
      "Warning",
      "FailedCreate",
      `Create Pod ${pod} in StatefulSet ${owner} failed error: failed to create PVC ${claim}: ${message}`,
    )
  } else if (error !== undefined && isReportable(error)) {
    const why = `could not update claim ${claim} for delete policy ownerRefs: ${message}`
    built.event(set, "Warning", "FailedUpdate", `Update Pod ${pod} in StatefulSet ${owner} failed error: ${why}`)
  }
}

/** Reports whether the error is recorded: not for an existing name, which the next reconcile sees, nor for a terminating namespace. */
function isReportable(error: unknown): boolean {
  return !isAlreadyExists(error) && !hasCause(error, "NamespaceTerminating")
}
