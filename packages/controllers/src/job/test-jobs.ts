import type { Job, JobSpec, JobStatus } from "@pilothouse/api/batch/v1"
import type { ContainerStatus, Pod } from "@pilothouse/api/core/v1"
import type { Operation, PlannedEvent, Result } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { type Failures, noFailures } from "./backoff.ts"
import { decide } from "./decide.ts"
import type { Observed } from "./observe.ts"
import { settle } from "./settle.ts"
import { trackingFinalizer } from "./tracking-finalizer.ts"

/** Jobs and pods for the tests of this folder. */
export const noon = Date.parse("2026-01-05T12:00:00Z")
export const context = { now: noon, random: seededRandom(1) }

export function at(secondsAfterNoon: number): string {
  return `${new Date(noon + secondsAfterNoon * 1000).toISOString().slice(0, 19)}Z`
}

export interface JobFacts extends Omit<JobSpec, "template" | "selector"> {
  readonly restartPolicy?: "Never" | "OnFailure"
  readonly deleting?: boolean
  readonly status?: JobStatus
}

export function job({ restartPolicy = "Never", deleting, status = {}, ...spec }: JobFacts = {}): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "work", namespace: "default", uid: "job-1", ...(deleting && { deletionTimestamp: at(-5) }) },
    spec: {
      parallelism: 1,
      backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : 2147483647,
      completionMode: "NonIndexed",
      podReplacementPolicy: spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed",
      selector: { matchLabels: { job: "work" } },
      template: { metadata: { labels: { job: "work" } }, spec: { restartPolicy, containers: [{ name: "main" }] } },
      ...spec,
    },
    status,
  }
}

export interface PodFacts {
  readonly name?: string
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed"
  readonly ready?: boolean
  readonly index?: number | string
  readonly tracked?: boolean
  readonly deleting?: boolean
  /** Seconds after noon when its container ended. */
  readonly ended?: number
  readonly exitCode?: number
  readonly failures?: number
  readonly annotations?: Readonly<Record<string, string>>
  readonly containers?: readonly ContainerStatus[]
  readonly initContainers?: readonly ContainerStatus[]
  readonly conditions?: NonNullable<Pod["status"]>["conditions"]
  readonly restarts?: number
}

let made = 0

export function pod(facts: PodFacts = {}): Pod {
  const { name = `pod-${++made}`, phase = "Running", ready = false, tracked = true, deleting, conditions = [] } = facts
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      labels: { job: "work" },
      annotations: annotationsOf(facts),
      creationTimestamp: at(-3600),
      ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "work", uid: "job-1", controller: true }],
      ...(tracked && { finalizers: [trackingFinalizer] }),
      ...(deleting && { deletionTimestamp: at(-5) }),
    },
    spec: { nodeName: "node-1", containers: [{ name: "main" }] },
    status: {
      phase,
      conditions: [...conditions, { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: at(-1800) }],
      containerStatuses: facts.containers ?? [mainContainer(facts)],
      initContainerStatuses: facts.initContainers,
    },
  }
}

export function pods(count: number, facts: PodFacts = {}): readonly Pod[] {
  return Array.from({ length: count }, () => pod(facts))
}

export function exited(name: string, exitCode: number, ended = -1800): ContainerStatus {
  return { ...running(name), state: { terminated: { exitCode, finishedAt: at(ended) } } }
}

export function running(name: string, restartCount = 0): ContainerStatus {
  return { name, image: "", imageID: "", ready: false, restartCount, state: { running: {} } }
}

function mainContainer({ phase, restarts = 0, ended = -1800, exitCode = phase === "Failed" ? 1 : 0 }: PodFacts): ContainerStatus {
  return phase === "Succeeded" || phase === "Failed" ? exited("main", exitCode, ended) : running("main", restarts)
}

function annotationsOf({ index, failures, annotations = {} }: PodFacts): Record<string, string> {
  return {
    ...annotations,
    ...(index !== undefined && { "batch.kubernetes.io/job-completion-index": String(index) }),
    ...(failures !== undefined && { "batch.kubernetes.io/job-index-failure-count": String(failures) }),
  }
}

export interface Played {
  readonly creates: number
  readonly deletes: number
  /** Finalizers that were taken off. */
  readonly patches: number
  readonly indexes: readonly string[]
  /** Every status that was written, in order. */
  readonly written: readonly JobStatus[]
  readonly status: JobStatus
  readonly events: readonly PlannedEvent[]
  readonly operations: readonly Operation[]
  readonly again?: number
}

export interface PlayOptions {
  readonly failures?: Failures
  /** Operations that the server refuses; of creates those after so many. */
  readonly refuse?: (operation: Operation, at: number) => boolean
}

/** One look: decide, all of it carried out or refused, settle. */
export function play(of: Job, its: readonly Pod[], { failures = noFailures, refuse = () => false }: PlayOptions = {}): Played {
  const observed: Observed = { strays: [], work: { job: of, pods: its, claims: [], failures } }
  const plan = decide(observed, context)
  const results = resultsOf(plan.steps, of, refuse)
  const settled = settle(observed, results, context)
  const operations = [
    ...results.filter(({ ok }) => ok === true).map(({ operation }) => operation),
    ...settled.steps.flatMap((step) => step.operations),
  ]
  const written = operations.flatMap((operation) => (operation.do === "status" ? [operation.status as JobStatus] : []))
  const count = (what: string) => operations.filter((operation) => operation.do === what).length
  return {
    creates: count("create"),
    deletes: count("delete"),
    patches: count("patch"),
    indexes: operations.flatMap((operation) => (operation.do === "create" ? (indexOf(operation.object as Pod) ?? []) : [])),
    written,
    status: written.at(-1) ?? of.status ?? {},
    events: [...plan.events, ...settled.events],
    operations,
    again: plan.again?.after as number | undefined,
  }
}

function resultsOf(
  steps: readonly { readonly operations: readonly Operation[] }[],
  of: Job,
  refuse: (operation: Operation, at: number) => boolean,
): Result[] {
  const results: Result[] = []
  let stopped = false
  for (const { operations } of steps) {
    for (const [at, operation] of operations.entries())
      results.push(stopped ? { operation, ok: "skipped" } : resultOf(operation, of, refuse(operation, at)))
    stopped ||= results.some(({ ok }) => ok !== true)
  }
  return results
}

function resultOf(operation: Operation, of: Job, refused: boolean): Result {
  if (refused) return { operation, ok: false, error: new Error("the server said no") }
  if (operation.do === "status") return { operation, ok: true, object: { ...of, status: operation.status } as Job }
  return { operation, ok: true, object: "object" in operation ? operation.object : undefined }
}

function indexOf({ metadata }: Pod): string | undefined {
  return metadata.annotations?.["batch.kubernetes.io/job-completion-index"]
}

/** In words: "Failed BackoffLimitExceeded", with what is not True marked so. */
export function conditionsOf({ conditions = [] }: JobStatus): readonly string[] {
  return conditions.map(({ type, status, reason }) => `${type}${status === "True" ? "" : `=${status}`} ${reason}`)
}
