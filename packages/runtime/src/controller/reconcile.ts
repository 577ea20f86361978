import { hasCause } from "@pilothouse/api"
import { abortable, type Clock, milliseconds, PilothouseError, type Random, type Timeout, throwIfAborted } from "@pilothouse/seams"
import type { EventRecorder } from "../events/event-recorder.ts"
import { notingReader, type Reader } from "./caches/reader.ts"
import { type Controller, type DecideContext, fieldManagerOf } from "./controller.ts"
import { isTerminal } from "./follow-up.ts"
import { type ApplyContext, applySteps } from "./plan/apply.ts"
import { hasEnsure, resolveEnsures } from "./plan/ensure.ts"
import type { Plan, Result } from "./plan/plan.ts"
import { timeLimitOf } from "./time-limit.ts"
import type { WriteBarrier } from "./write-barrier/write-barrier.ts"

/** What one reconcile reads from and writes to. */
export interface ReconcileContext extends ApplyContext {
  readonly controller: Controller
  readonly reader: (signal: AbortSignal) => Reader
  readonly writeBarrier: WriteBarrier
  readonly events: Pick<EventRecorder, "record">
  readonly clock: Clock
  readonly random: Random
  /** Before observe, before decide and before settle. */
  readonly onReconcile?: ((controller: string, key: string) => void) | undefined
}

/** The outcome of one reconcile. */
export interface Outcome {
  readonly plan?: Plan
  /** The plan of settle. */
  readonly settled?: Plan
  /** The results of both plans. */
  readonly results: readonly Result[]
  /** The reads, for the trace. */
  readonly observed: readonly string[]
  /** What observe returned; undefined where there was no decision. */
  readonly observation?: unknown
  /** Milliseconds until the next reconcile that the plans request. */
  readonly requeueAfter?: number
  readonly error?: unknown
}

type Found = { -readonly [Field in keyof Outcome]: Outcome[Field] } & { observed: string[]; results: Result[] }

/** Runs observe → decide → apply → settle once: what a syncHandler or Reconciler does upstream. Never throws: an error is part of the outcome. */
export async function reconcile(key: string, context: ReconcileContext, outer: AbortSignal): Promise<Outcome> {
  const found: Found = { results: [], observed: [] }
  using limit = timeLimitOf(context.controller, context.clock, outer)
  try {
    await runPhases(key, context, found, limit.signal)
    found.error = passed(limit) ?? failureIn(found.results)
  } catch (error) {
    // `throw undefined` is a failure too.
    found.error = passed(limit) ?? error ?? new Error("undefined was thrown")
  }
  return found
}

/** The error of the limit where the time is over. */
function passed({ isOver, signal }: Timeout): unknown {
  return isOver ? signal.reason : undefined
}

async function runPhases(key: string, context: ReconcileContext, found: Found, signal: AbortSignal): Promise<void> {
  const { controller, reader, clock, random, onReconcile } = context
  onReconcile?.(controller.name, key)
  const observing = controller.observe(key, notingReader(reader(signal), found.observed), signal)
  // A synchronous observation is not awaited: nothing else runs between it and the first step of its plan.
  const observed = isThenable(observing) ? await abortable(Promise.resolve(observing), signal) : observing
  if (observed === undefined) return
  found.observation = observed
  throwIfAborted(signal)
  const now: DecideContext = { now: clock.now(), random }
  onReconcile?.(controller.name, key)
  const decided = checkedPlan(controller.decide(observed, now), `decide of ${controller.name}`)
  found.plan = hasEnsure(decided) ? await ensured(decided, context, signal) : decided
  found.requeueAfter = requeueDelay(found.plan)
  for (const result of await apply(key, found.plan, context, signal)) found.results.push(result)
  if (controller.settle === undefined || signal.aborted) return
  onReconcile?.(controller.name, key)
  const settled = checkedPlan(controller.settle(observed, found.results, now), `settle of ${controller.name}`)
  found.settled = hasEnsure(settled) ? await ensured(settled, context, signal) : settled
  found.requeueAfter = earliest(found.requeueAfter, requeueDelay(found.settled))
  for (const result of await apply(key, found.settled, context, signal)) found.results.push(result)
}

function ensured(plan: Plan, { reader, resolve }: ReconcileContext, signal: AbortSignal): Promise<Plan> {
  return resolveEnsures(plan, { reader: reader(signal), resolve })
}

/** Checked here, where the error can name the function that returned it. */
function checkedPlan(plan: Plan, from: string): Plan {
  const given: unknown = plan
  if (typeof given === "object" && given !== null && "steps" in given && Array.isArray(given.steps)) return plan
  const found = isThenable(given) ? "a promise; asynchronous work belongs in observe" : given === null ? "null" : typeof given
  throw new PilothouseError("INVALID", `expected a plan from ${from}, found ${found}; return plan(), or plan().nothing("why")`)
}

/** A promise of another library or realm is not an instance of Promise, and not the observation either. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"
}

async function apply(key: string, plan: Plan, context: ReconcileContext, signal: AbortSignal): Promise<readonly Result[]> {
  const results = await applySteps(plan.steps, context, signal)
  context.writeBarrier.record(key, results)
  if (results.every((result) => result.ok === true)) record(plan, context)
  return results
}

function record({ events }: Plan, { controller, events: recorder }: ReconcileContext): void {
  for (const event of events) recorder.record(controller.eventSource ?? controller.name, event, fieldManagerOf(controller))
}

/** Checked here, where the error can name the plan: the queue would refuse it later. */
function requeueDelay({ requeue }: Plan): number | undefined {
  if (requeue === undefined) return undefined
  const after = milliseconds(requeue.after)
  if (Number.isFinite(after)) return after
  throw new PilothouseError("INVALID", `expected a finite delay of the requeue because ${requeue.reason}, found ${requeue.after}`)
}

function earliest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}

/**
 * A create that a terminating namespace refuses is no failure: no retry helps.
 * Of several failures a retryable one wins: the retry helps it.
 */
function failureIn(results: readonly Result[]): unknown {
  const errors = results.flatMap((result) => (result.ok === false ? [result.error] : []))
  const failures = errors.filter((error) => !hasCause(error, "NamespaceTerminating"))
  return failures.find((error) => !isTerminal(error)) ?? failures[0]
}
