import type { Job, JobStatus } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import type { Operation, PlannedEvent, Result, Step } from "@pilothouse/runtime"
import { decide } from "../decide.ts"
import type { Observed } from "../observe.ts"
import { type Failures, noFailures } from "../pods/backoff.ts"
import { settle } from "../settle.ts"
import { context } from "./jobs.ts"

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

/** One reconcile: decide, all of it applied or refused, settle. */
export function play(of: Job, its: readonly Pod[], { failures = noFailures, refuse = () => false }: PlayOptions = {}): Played {
  const observed: Observed = { orphans: [], work: { job: of, pods: its, claims: [], failures } }
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
    again: plan.requeue?.after as number | undefined,
  }
}

function resultsOf(steps: readonly Step[], of: Job, refuse: (operation: Operation, at: number) => boolean): Result[] {
  const results: Result[] = []
  let stopped = false
  for (const { operations, onFailure } of steps) {
    const done = operations.map(
      (operation, at): Result => (stopped ? { operation, ok: "skipped" } : resultOf(operation, of, refuse(operation, at))),
    )
    results.push(...done)
    stopped ||= onFailure !== "continue" && done.some(({ ok }) => ok !== true)
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
