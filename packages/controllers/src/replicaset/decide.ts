import { hasCause } from "@pilothouse/api"
import { type DecideContext, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { recordPodEvents } from "../shared/pod-events.ts"
import { podFromTemplate } from "../shared/pod-from-template.ts"
import type { Observed } from "./observe.ts"
import { chooseVictims } from "./pods-to-delete.ts"
import { wantedPods } from "./replica-kind.ts"
import { type Failure, nextAvailability, reportStatus } from "./status.ts"

/** The most pods one look makes or deletes: a typo of a few zeros does not flood the cluster at once. */
const burst = 500

/** Claims pods, then makes or deletes some; what became of that, and so the status, is for settle. With the right number only the status is left. */
export function decide(observed: Observed, { now }: DecideContext): Plan {
  const { owner, active, claims } = observed
  const built = plan()
  for (const operation of claims) built.operation(operation)
  const waiting = nextAvailability(observed, now)
  if (waiting !== undefined) built.requeueAfter(waiting, "a ready pod becomes available then")
  const missing = wantedPods(owner) - active.length
  if (missing === 0 || owner.metadata.deletionTimestamp !== undefined) return reportStatus(afterClaims(built), observed, now)
  if (missing < 0) return deletePods(afterClaims(built), observed, -missing, now)
  return hasLabels(observed) ? createPods(built, observed, missing) : refusePods(built, observed, now)
}

function createPods(built: PlanBuilder, { owner, kind, active }: Observed, missing: number): Plan {
  const template = owner.spec?.template ?? {}
  const reason = `${active.length} of ${wantedPods(owner)} pods exist`
  built.slowStart()
  for (let made = 0; made < Math.min(missing, burst); made++) built.create(podFromTemplate(template, owner, kind.of), reason)
  return built
}

function deletePods(built: PlanBuilder, { owner, active, related }: Observed, surplus: number, now: number): Plan {
  const reason = `${active.length} pods exist, ${wantedPods(owner)} are wanted`
  for (const pod of chooseVictims(active, related, Math.min(surplus, burst), now)) built.delete(pod, reason)
  return built
}

/** Pods without labels would be nobody's at once, and made again for ever. */
function refusePods(built: PlanBuilder, observed: Observed, now: number): Plan {
  const failure = { reason: "FailedCreate", message: "unable to create pods, no labels" } as const
  return reportStatus(afterClaims(built), observed, now, failure).waitFor("labels in the pod template")
}

function hasLabels({ owner }: Observed): boolean {
  return Object.keys(owner.spec?.template?.metadata?.labels ?? {}).length > 0
}

/** What counts on adopted pods begins when they are adopted. */
function afterClaims(built: PlanBuilder): PlanBuilder {
  return built.steps.length === 0 ? built : built.nextStep()
}

/** Tells people what became of the pods, and keeps the status true. Where nothing was tried there is nothing to add. */
export function settle(observed: Observed, results: readonly Result[], { now }: DecideContext): Plan {
  const managed = results.filter(({ operation }) => operation.do === "create" || operation.do === "delete")
  const built = plan()
  // Pods that could not be claimed: the number of pods is not known, and neither is the status.
  if (managed.every((result) => result.ok === "skipped")) return built
  recordPodEvents(built, observed.owner, managed)
  return reportStatus(built, observed, now, failureOf(managed))
}

function failureOf(results: readonly Result[]): Failure | undefined {
  const failed = results.find((result) => result.ok === false && !isNamespaceGoing(result.error))
  if (failed?.ok !== false) return undefined
  const message = messageOf(failed.error)
  return failed.operation.do === "create"
    ? { reason: "FailedCreate", message }
    : { reason: "FailedDelete", message: `unable to delete pods: ${message}` }
}

/** Nobody needs to hear of each pod that a vanishing namespace refuses. */
function isNamespaceGoing(error: unknown): boolean {
  return hasCause(error, "NamespaceTerminating")
}
