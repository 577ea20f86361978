import { type Clock, type Log, type Metrics, messageOf, PilothouseError, type Random } from "@pilothouse/seams"
import type { Informers } from "../cache/informers.ts"
import type { Client } from "../client/client.ts"
import type { EventRecorder } from "../events/event-recorder.ts"
import { exponentialLimiter } from "../queue/rate-limiters.ts"
import { WorkQueue } from "../queue/work-queue.ts"
import { Caches } from "./caches/caches.ts"
import { DynamicInformers } from "./caches/dynamic-informers.ts"
import { cacheReader, type Reader } from "./caches/reader.ts"
import { Causes } from "./causes.ts"
import { type Controller, declaredKinds } from "./controller.ts"
import { type Enqueue, type ListenOptions, listen } from "./event-sources.ts"
import { type FollowUp, followUp } from "./follow-up.ts"
import type { ResolveKind } from "./plan/execute.ts"
import { executorsWhileLeading, type Leadership } from "./plan/executors-while-leading.ts"
import { type Outcome, type ReconcileContext, reconcile } from "./reconcile.ts"
import { reconcileKeys } from "./reconcile-keys.ts"
import { reconcileMetrics } from "./reconcile-metrics.ts"
import { type ReconcileReport, reporter } from "./report.ts"
import { inSpan, type Tracer } from "./spans.ts"
import type { Trace } from "./trace.ts"
import { untilSynced } from "./until-synced.ts"
import { OwnStatusFilter } from "./write-barrier/own-status-filter.ts"
import { WriteBarrier } from "./write-barrier/write-barrier.ts"

export interface ControllerRunnerOptions {
  readonly controller: Controller
  readonly client: Client
  /** For discovery; one for all controllers, so that concurrent discoveries share one request. */
  readonly discovery: Pick<Client, "discover">
  readonly informers: Informers
  readonly resolve: ResolveKind
  readonly events: Pick<EventRecorder, "record">
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly metrics: Metrics
  readonly trace: Trace
  readonly tracer?: Tracer
  readonly onReconcile?: ReconcileContext["onReconcile"]
  /** Called before each reconcile, which waits for the promise where there is one. */
  readonly whenFree?: (() => Promise<void> | undefined) | undefined
  readonly dryRun: boolean
  /** Without it this process always leads. */
  readonly leadership?: Leadership
}

/** Start-up and resync items wait behind live events. */
const initialPriority = -100
/** As kube-controller-manager runs most of its controllers. */
export const defaultMaxConcurrentReconciles = 5
/** Milliseconds until a key that could not be reconciled is tried again. */
const laggingDelay = 1000

/**
 * Runs one controller: from changes in the caches to keys in its queue, from keys to plans, from plans to writes.
 * Invariant: `#active` has the keys that are being reconciled, each once; never more than maxConcurrentReconciles.
 */
export class ControllerRunner {
  readonly #options: ControllerRunnerOptions
  readonly #queue: WorkQueue
  readonly #causes = new Causes()
  readonly #context: ReconcileContext
  readonly #metrics: ReturnType<typeof reconcileMetrics>
  readonly #report: (report: ReconcileReport) => void
  readonly #priority: (key: string, initial: boolean) => number
  readonly #listen: () => Disposable
  readonly #synced: (signal: AbortSignal) => Promise<void>
  readonly #dynamicInformers: DynamicInformers | undefined
  /** Only with ignoreOwnStatusWrites. */
  readonly #ownStatusFilter: OwnStatusFilter | undefined
  readonly #active = new Set<string>()

  constructor(options: ControllerRunnerOptions) {
    const { controller, informers, client, clock, log, metrics, trace, dryRun } = options
    const declared = declaredKinds(controller)
    for (const kind of declared) informers.of(kind)
    for (const index of controller.indexes ?? []) informers.of(index.of).addIndex(index)
    const dynamicInformers = dynamicInformersFor(options)
    const caches = new Caches(informers, declared, dynamicInformers)
    const reads = { caches, client, controller: controller.name }
    const resolve: ResolveKind = (ref) => dynamicInformers?.ofKind(ref) ?? options.resolve(ref)
    this.#dynamicInformers = dynamicInformers
    this.#options = options
    this.#queue = new WorkQueue({ clock, metrics, name: controller.name, limiter: controller.backoff?.(clock) ?? exponentialLimiter() })
    this.#context = {
      ...options,
      resolve,
      executors: executorsWhileLeading(controller.executors ?? [], options.leadership),
      reader: (signal) => cacheReader(reads, signal),
      writeBarrier: new WriteBarrier({ ...options, resolve, caches }),
    }
    this.#metrics = reconcileMetrics(metrics, controller.name)
    this.#report = reporter({ controller: controller.name, log, trace, metrics: this.#metrics, dryRun })
    const reader = cacheReader(reads)
    this.#priority = (key, initial) => this.#requestedPriority(key, reader) ?? (initial ? initialPriority : 0)
    const enqueue: Enqueue = (...request) => this.#enqueue(...request)
    const ownStatusFilter = controller.ignoreOwnStatusWrites
      ? new OwnStatusFilter(controller.for, (key) => this.#context.writeBarrier.observed(key))
      : undefined
    this.#ownStatusFilter = ownStatusFilter
    const isOwnWrite: ListenOptions["isOwnWrite"] = ownStatusFilter && ((...change) => ownStatusFilter.isOwnWrite(...change))
    const onDeleted = (key: string) => this.#forget(key)
    this.#listen = () => listen({ controller, informers, dynamicInformers, reader, log, enqueue, onDeleted, isOwnWrite })
    this.#synced = async (signal) => {
      await untilSynced({ ...options, kinds: declared, controller: controller.name }, signal)
      await dynamicInformers?.synced(signal)
    }
  }

  get name(): string {
    return this.#options.controller.name
  }

  /** Keys that are being reconciled. */
  get active(): readonly string[] {
    return [...this.#active]
  }

  /** Runs discovery and the informers of dynamic kinds until the signal aborts. A standby does this too: its caches stay warm. */
  async runDynamicInformers(signal: AbortSignal): Promise<void> {
    await this.#dynamicInformers?.run(signal)
  }

  /**
   * Reconciles keys until `stop` aborts, then finishes the active ones; `cut`, which aborts later or never, aborts those.
   * Starts when the caches of its own kinds have synced: one that never does blocks this controller, and no other.
   */
  async run(stop: AbortSignal, cut: AbortSignal = stop): Promise<void> {
    await this.#synced(stop)
    if (stop.aborted) return
    // Not earlier: a standby that listened would queue the key of every object that ever existed. Present objects are delivered first.
    using _listening = this.#listen()
    const maxConcurrent = this.#options.controller.maxConcurrentReconciles ?? defaultMaxConcurrentReconciles
    this.#metrics.workers(maxConcurrent)
    try {
      await reconcileKeys({ queue: this.#queue, maxConcurrent, stop, work: (key, over) => this.#work(key, over, cut) })
    } finally {
      this.#queue.close()
    }
  }

  #forget(key: string): void {
    this.#context.writeBarrier.forget(key)
    this.#ownStatusFilter?.forget(key)
  }

  #enqueue(...[keys, cause, initial, after]: Parameters<Enqueue>): void {
    for (const key of keys) {
      this.#causes.add(key, cause)
      this.#queue.add(key, { priority: this.#priority(key, initial), after })
    }
  }

  /** The priority that the controller gives a key, if any. */
  #requestedPriority(key: string, reader: Reader): number | undefined {
    const { controller, log } = this.#options
    try {
      const priority = controller.priority?.(key, reader)
      if (priority === undefined || Number.isFinite(priority)) return priority
      throw new PilothouseError("INVALID", `expected a finite number as the priority of ${key}, found ${priority}`)
    } catch (error) {
      log.error("priority threw; the key gets the default one", { controller: controller.name, key, error: messageOf(error) })
      return undefined
    }
  }

  async #work(key: string, stop: AbortSignal, cut: AbortSignal): Promise<void> {
    this.#begin(key)
    try {
      const free = this.#options.whenFree?.()
      if (free !== undefined) await free
      const isCurrent = await this.#context.writeBarrier.wait(key, stop)
      if (!stop.aborted) await (isCurrent ? this.#reconcileGuarded(key, cut) : this.#delayLagging(key))
    } finally {
      this.#finish(key)
    }
  }

  #begin(key: string): void {
    this.#active.add(key)
    this.#ownStatusFilter?.begin(key)
    this.#metrics.active(this.#active.size)
  }

  #finish(key: string): void {
    this.#ownStatusFilter?.finish(key)
    this.#queue.done(key)
    this.#active.delete(key)
    this.#metrics.active(this.#active.size)
  }

  /** Requeues the key with a short delay. This is no failure: the limiter, which might give the key up, is not involved. */
  #delay(key: string): void {
    this.#queue.add(key, { after: laggingDelay, priority: this.#queue.priorityOf(key) })
  }

  #delayLagging(key: string): void {
    this.#delay(key)
    try {
      this.#options.controller.onCacheLagging?.(key, this.#context.writeBarrier.lagging(key))
    } catch (error) {
      this.#options.log.error("onCacheLagging threw; the key is reconciled later", {
        controller: this.name,
        key,
        error: messageOf(error),
      })
    }
  }

  /** An exception of a limiter, a tracer or a log must neither lose the key nor stop the controller. */
  async #reconcileGuarded(key: string, cut: AbortSignal): Promise<void> {
    try {
      await this.#reconcileAndReport(key, cut)
    } catch (error) {
      this.#delay(key)
      this.#options.log.error("a reconcile could not be completed, retrying", {
        controller: this.name,
        key,
        error: messageOf(error),
      })
    }
  }

  async #reconcileAndReport(key: string, cut: AbortSignal): Promise<void> {
    const { clock } = this.#options
    const causes = this.#causes.take(key)
    const [at, started] = [clock.now(), clock.elapsed()]
    const outcome = await this.#reconcile(key, causes, cut)
    const next = followUp(outcome, this.#options.dryRun)
    this.#ownStatusFilter?.reconciled(key, outcome)
    if (outcome.plan === undefined && outcome.error === undefined) this.#context.writeBarrier.forget(key)
    const milliseconds = clock.elapsed() - started
    let willRetry = true
    try {
      // An aborted reconcile has not failed: the next process reconciles again.
      if (!cut.aborted) willRetry = this.#requeue(key, next)
    } finally {
      this.#report({ key, at, causes, outcome, next, nextAt: this.#nextAt(key), milliseconds, cut: cut.aborted })
    }
    if (cut.aborted) return
    const { results, error, observation: observed } = outcome
    const returned: unknown = this.#options.controller.onReconciled?.(key, {
      now: clock.now(),
      observed,
      results,
      milliseconds,
      error,
      givenUp: !willRetry,
    })
    // It is not awaited; but an async one that rejects would end the process.
    if (returned instanceof Promise) returned.catch((thrown: unknown) => this.#onReconciledFailed(key, thrown))
  }

  #nextAt(key: string): number | undefined {
    const due = this.#queue.dueIn(key)
    return due === undefined ? undefined : this.#options.clock.now() + due
  }

  #onReconciledFailed(key: string, thrown: unknown): void {
    this.#options.log.error("onReconciled threw; the key is not affected", { controller: this.name, key, error: messageOf(thrown) })
  }

  #reconcile(key: string, causes: readonly string[], cut: AbortSignal): Promise<Outcome> {
    const attributes = { "pilothouse.controller": this.name, "pilothouse.key": key, "pilothouse.causes": [...causes] }
    const work = () => reconcile(key, this.#context, cut)
    return inSpan(this.#options.tracer, `reconcile ${this.name}`, attributes, work, ({ results, error }) => ({
      attributes: { "pilothouse.operations": results.length },
      error,
    }))
  }

  /** Requeues the key. Returns false when it failed and only a change enqueues it again. */
  #requeue(key: string, next: FollowUp): boolean {
    // A requeue keeps the priority of the reconcile.
    const priority = this.#queue.priorityOf(key)
    if (next.do === "rest" || next.do === "give-up" || next.do === "requeue-after") this.#queue.forget(key)
    if (next.do === "requeue-after" || next.do === "retry-after") this.#queue.add(key, { after: next.after, priority })
    if (next.do !== "retry") return next.do !== "give-up"
    const willRetry = this.#queue.retry(key)
    // The queue keeps the earlier of the two.
    if (next.within !== undefined) this.#queue.add(key, { after: next.within, priority })
    return willRetry || next.within !== undefined
  }
}

function dynamicInformersFor({ controller, discovery, ...options }: ControllerRunnerOptions): DynamicInformers | undefined {
  const { name, dynamicKinds } = controller
  return dynamicKinds && new DynamicInformers({ ...options, controller: name, dynamicKinds, client: discovery })
}
