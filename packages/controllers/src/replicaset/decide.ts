import {
  deepEqual,
  findCondition,
  formatTime,
  hasCause,
  isPodAvailable,
  isPodReady,
  matchesLabels,
  podAvailableAfter,
  removeCondition,
  selectorFromLabels,
} from "@pilothouse/api"
import type { ReplicaSetCondition, ReplicaSetStatus } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { recordPodEvents } from "../shared/pod-events.ts"
import { podFromTemplate } from "../shared/pod-from-template.ts"
import type { Observed } from "./observe.ts"
import { podsToDelete } from "./pods-to-delete.ts"
import { desiredReplicas, minReadySeconds } from "./replica-kind.ts"

const failureType = "ReplicaFailure"

/** The most pods that one reconcile creates or deletes: a mistyped replica count does not flood the cluster at once. */
const burst = 500

/** Claims pods, then creates or deletes some (upstream's syncReplicaSet and manageReplicas); settle writes the status from the results. With the desired number only the status is written. */
export function decide(observed: Observed, { now }: DecideContext): Plan {
  const { owner, active, claims } = observed
  const built = plan()
  for (const operation of claims) built.operation(operation)
  const waiting = nextAvailability(observed, now)
  if (waiting !== undefined) built.requeueAfter(waiting, "a ready pod becomes available then")
  const missing = desiredReplicas(owner) - active.length
  if (missing === 0 || owner.metadata.deletionTimestamp !== undefined) return reportStatus(afterClaims(built), observed, now)
  if (missing < 0) return deletePods(afterClaims(built), observed, -missing, now)
  return hasLabels(observed) ? createPods(built, observed, missing) : reportMissingLabels(built, observed, now)
}

function createPods(built: PlanBuilder, { owner, kind, active }: Observed, missing: number): Plan {
  const template = owner.spec?.template ?? {}
  const reason = `${active.length} of ${desiredReplicas(owner)} pods exist`
  built.slowStart()
  for (let made = 0; made < Math.min(missing, burst); made++) built.create(podFromTemplate(template, owner, kind.of), reason)
  return built
}

function deletePods(built: PlanBuilder, { owner, active, related }: Observed, surplus: number, now: number): Plan {
  const reason = `${active.length} pods exist, ${desiredReplicas(owner)} are wanted`
  for (const pod of podsToDelete(active, related, Math.min(surplus, burst), now)) built.delete(pod, reason)
  return built
}

/** Refuses to create pods without labels: they would never match the selector, and would be created forever. */
function reportMissingLabels(built: PlanBuilder, observed: Observed, now: number): Plan {
  const failure = { reason: "FailedCreate", message: "unable to create pods, no labels" } as const
  return reportStatus(afterClaims(built), observed, now, failure).waitFor("labels in the pod template")
}

function hasLabels({ owner }: Observed): boolean {
  return Object.keys(owner.spec?.template?.metadata?.labels ?? {}).length > 0
}

/** Starts a new step, so that what depends on adopted pods waits for the adoption. */
function afterClaims(built: PlanBuilder): PlanBuilder {
  return built.steps.length === 0 ? built : built.nextStep()
}

/** Records events for the pods and writes the status. Does nothing when no write was attempted. */
export function settle(observed: Observed, results: readonly Result[], { now }: DecideContext): Plan {
  const managed = results.filter(({ operation }) => operation.do === "create" || operation.do === "delete")
  const built = plan()
  // After failed claims the number of pods, and so the status, is unknown.
  if (managed.every((result) => result.ok === "skipped")) return built
  recordPodEvents(built, observed.owner, managed)
  return reportStatus(built, observed, now, firstFailure(managed))
}

function firstFailure(results: readonly Result[]): Failure | undefined {
  const failed = results.find((result) => result.ok === false && !isNamespaceTerminating(result.error))
  if (failed?.ok !== false) return undefined
  const message = messageOf(failed.error)
  return failed.operation.do === "create"
    ? { reason: "FailedCreate", message }
    : { reason: "FailedDelete", message: `unable to delete pods: ${message}` }
}

/** Pods that a terminating namespace refuses are not reported. */
function isNamespaceTerminating(error: unknown): boolean {
  return hasCause(error, "NamespaceTerminating")
}

/** Why the number of pods could not be corrected. */
interface Failure {
  readonly reason: "FailedCreate" | "FailedDelete"
  readonly message: string
}

/** Plans a status write when the status differs. A conflict is tolerated: the next reconcile writes it. */
function reportStatus(built: PlanBuilder, observed: Observed, now: number, failure?: Failure): PlanBuilder {
  const { owner } = observed
  const status = replicaStatus(observed, now, failure)
  const summary = `${status.replicas} pods, ${status.readyReplicas ?? 0} ready, ${status.availableReplicas ?? 0} available`
  if (deepEqual(status, owner.status)) return built.steps.length === 0 ? built.nothing(summary) : built
  return built.operation({ do: "status", object: owner, status, reason: failure?.message ?? summary, tolerate: ["Conflict", "NotFound"] })
}

/** Omits zeros as the API server does; otherwise the stored status would never equal the computed one. */
export function replicaStatus({ owner, kind, active, terminating }: Observed, now: number, failure?: Failure): ReplicaSetStatus {
  const templateLabels = selectorFromLabels(owner.spec?.template?.metadata?.labels)
  const ready = active.filter(isPodReady)
  const available = ready.filter((pod) => isPodAvailable(pod, minReadySeconds(owner), now))
  const conditions = replicaConditions(owner.status?.conditions ?? [], now, failure)
  return {
    ...owner.status,
    replicas: active.length,
    fullyLabeledReplicas: active.filter((pod) => matchesLabels(templateLabels, pod.metadata.labels ?? {})).length || undefined,
    readyReplicas: ready.length || undefined,
    availableReplicas: available.length || undefined,
    terminatingReplicas: kind.countsTerminating ? terminating.length : undefined,
    observedGeneration: owner.metadata.generation || undefined,
    conditions: conditions.length === 0 ? undefined : conditions,
  }
}

/** A persisting failure keeps its first message: a new message with every attempt would cause endless status writes. */
function replicaConditions(conditions: readonly ReplicaSetCondition[], now: number, failure?: Failure): readonly ReplicaSetCondition[] {
  if (failure === undefined) return removeCondition(conditions, failureType)
  if (findCondition(conditions, failureType) !== undefined) return conditions
  return [...conditions, { type: failureType, status: "True", lastTransitionTime: formatTime(now), ...failure }]
}

/** Returns the milliseconds until the next ready pod becomes available; undefined when none is pending. */
export function nextAvailability({ owner, active }: Observed, now: number): number | undefined {
  const seconds = minReadySeconds(owner)
  if (seconds <= 0) return undefined
  const ready = active.filter(isPodReady)
  if (ready.every((pod) => isPodAvailable(pod, seconds, now))) return undefined
  const waits = ready.map((pod) => timeUntilAvailable(pod, seconds, now)).filter((wait) => wait > 0)
  return Math.min(seconds * 1000, ...waits)
}

function timeUntilAvailable(pod: Pod, seconds: number, now: number): number {
  return podAvailableAfter(pod, seconds, now) ?? 0
}
