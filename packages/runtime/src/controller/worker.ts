import type { Tracer } from "@opentelemetry/api"
import { type Clock, type Log, type Metrics, messageOf, PilothouseError, type Random } from "@pilothouse/seams"
import type { Informers } from "../cache/informers.ts"
import type { Client } from "../client/client.ts"
import type { EventRecorder } from "../events/event-recorder.ts"
import { exponentialLimiter } from "../queue/limiters.ts"
import { WorkQueue } from "../queue/work-queue.ts"
import { Caches } from "./caches.ts"
import { Causes } from "./causes.ts"
import { type Controller, declaredKinds } from "./controller.ts"
import { Echoes } from "./echoes.ts"
import type { ResolveKind } from "./execute.ts"
import { executorsWhileLeading, type Leadership } from "./executors-while-leading.ts"
import { type FollowUp, followUp } from "./follow-up.ts"
import { Following } from "./following.ts"
import { OwnWrites } from "./own-writes.ts"
import { cacheReader, type Reader } from "./reader.ts"
import { type Outcome, type ReconcileContext, reconcile } from "./reconcile.ts"
import { reconcileMetrics } from "./reconcile-metrics.ts"
import { type Look, reporter } from "./report.ts"
import { type ListenOptions, listen, type Wake } from "./sources.ts"
import { inSpan } from "./spans.ts"
import type { Trace } from "./trace.ts"
import { untilSynced } from "./until-synced.ts"
import { workOnKeys } from "./work-on-keys.ts"

export interface WorkerOptions {
  readonly controller: Controller
  readonly client: Client
  /** For looks at what kinds there are; one for all controllers, so that those that look at the same time share one look. */
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
  readonly dryRun: boolean
  /** Without it we always lead. */
  readonly leadership?: Leadership
}

/** Start-up and resync items wait behind live events. */
const initialPriority = -100
export const defaultConcurrency = 5
/** Milliseconds until a key that could not be looked at is taken up again. */
const putOffFor = 1000

/**
 * Runs one controller: from changes in the caches to keys in its queue, from keys to plans, from plans to writes.
 * Always true between calls: `#inHand` has the keys that are worked on, each once; never more than the controller's concurrency.
 */
export class Worker {
  readonly #options: WorkerOptions
  readonly #queue: WorkQueue
  readonly #causes = new Causes()
  readonly #context: ReconcileContext
  readonly #metrics: ReturnType<typeof reconcileMetrics>
  readonly #report: (look: Look) => void
  readonly #priority: (key: string, initial: boolean) => number
  readonly #listen: () => Disposable
  readonly #synced: (signal: AbortSignal) => Promise<void>
  readonly #following: Following | undefined
  /** Only of a controller to which its own status is no news. */
  readonly #echoes: Echoes | undefined
  readonly #inHand = new Set<string>()

  constructor(options: WorkerOptions) {
    const { controller, informers, client, clock, log, metrics, trace, dryRun } = options
    const declared = declaredKinds(controller)
    for (const kind of declared) informers.of(kind)
    for (const index of controller.indexes ?? []) informers.of(index.of).addIndex(index)
    const following = followingOf(options)
    const caches = new Caches(informers, declared, following)
    const reads = { caches, client, controller: controller.name }
    const resolve: ResolveKind = (ref) => following?.ofKind(ref) ?? options.resolve(ref)
    this.#following = following
    this.#options = options
    this.#queue = new WorkQueue({ clock, metrics, name: controller.name, limiter: controller.backoff?.(clock) ?? exponentialLimiter() })
    this.#context = {
      ...options,
      resolve,
      executors: executorsWhileLeading(controller.executors ?? [], options.leadership),
      reader: (signal) => cacheReader(reads, signal),
      ownWrites: new OwnWrites({ ...options, resolve, caches }),
    }
    this.#metrics = reconcileMetrics(metrics, controller.name)
    this.#report = reporter({ controller: controller.name, log, trace, metrics: this.#metrics, dryRun })
    const reader = cacheReader(reads)
    this.#priority = (key, initial) => this.#asked(key, reader) ?? (initial ? initialPriority : 0)
    const wake: Wake = (...wish) => this.#wake(...wish)
    const echoes = controller.ignoreOwnStatusWrites ? new Echoes(controller.for, (key) => this.#context.ownWrites.shown(key)) : undefined
    this.#echoes = echoes
    const isOurs: ListenOptions["isOurs"] = echoes && ((...heard) => echoes.isOurs(...heard))
    const gone = (key: string) => this.#gone(key)
    this.#listen = () => listen({ controller, informers, following, reader, log, wake, gone, isOurs })
    this.#synced = async (signal) => {
      await untilSynced({ ...options, kinds: declared, controller: controller.name }, signal)
      await following?.synced(signal)
    }
  }

  get name(): string {
    return this.#options.controller.name
  }

  /** Keys that are being worked on. */
  get inHand(): readonly string[] {
    return [...this.#inHand]
  }

  /** Finds and follows the kinds that the controller discovers, until the signal aborts. Whoever does not lead does this too: caches stay warm. */
  async follow(signal: AbortSignal): Promise<void> {
    await this.#following?.run(signal)
  }

  /**
   * Works until `stop` aborts, then ends the keys in hand; `cut`, which aborts later or never, ends their work where it stands.
   * Begins when the caches of its own kinds are full: one that never is holds up this controller, and no other.
   */
  async run(stop: AbortSignal, cut: AbortSignal = stop): Promise<void> {
    await this.#synced(stop)
    if (stop.aborted) return
    // Not sooner: a standby that listened would keep the key of every object that ever was. What is there now is told first.
    using _listening = this.#listen()
    const places = this.#options.controller.maxConcurrentReconciles ?? defaultConcurrency
    this.#metrics.workers(places)
    try {
      await workOnKeys({ queue: this.#queue, places, stop, work: (key, over) => this.#work(key, over, cut) })
    } finally {
      this.#queue.close()
    }
  }

  #gone(key: string): void {
    this.#context.ownWrites.forget(key)
    this.#echoes?.forget(key)
  }

  #wake(...[keys, cause, initial, after]: Parameters<Wake>): void {
    for (const key of keys) {
      this.#causes.add(key, cause)
      this.#queue.add(key, { priority: this.#priority(key, initial), after })
    }
  }

  /** What the controller says of a key's priority, if anything. */
  #asked(key: string, reader: Reader): number | undefined {
    const { controller, log } = this.#options
    try {
      const priority = controller.priority?.(key, reader)
      if (priority === undefined || Number.isFinite(priority)) return priority
      throw new PilothouseError("INVALID", `expected a finite number as the priority of ${key}, found ${priority}`)
    } catch (error) {
      log.error("priority failed; the key gets the usual one", { controller: controller.name, key, error: messageOf(error) })
      return undefined
    }
  }

  async #work(key: string, stop: AbortSignal, cut: AbortSignal): Promise<void> {
    this.#take(key)
    try {
      const caughtUp = await this.#context.ownWrites.caughtUp(key, stop)
      if (!stop.aborted) await (caughtUp ? this.#look(key, cut) : this.#putOffStale(key))
    } finally {
      this.#giveBack(key)
    }
  }

  #take(key: string): void {
    this.#inHand.add(key)
    this.#echoes?.taken(key)
    this.#metrics.active(this.#inHand.size)
  }

  #giveBack(key: string): void {
    this.#echoes?.givenBack(key)
    this.#queue.done(key)
    this.#inHand.delete(key)
    this.#metrics.active(this.#inHand.size)
  }

  /** Frees the place for another key. Not a failure: the limiter, which might give the key up, is not asked. */
  #putOff(key: string): void {
    this.#queue.add(key, { after: putOffFor, priority: this.#queue.priorityOf(key) })
  }

  #putOffStale(key: string): void {
    this.#putOff(key)
    try {
      this.#options.controller.onCacheLagging?.(key, this.#context.ownWrites.behind(key))
    } catch (error) {
      this.#options.log.error("putOff threw; the key is looked at later all the same", {
        controller: this.name,
        key,
        error: messageOf(error),
      })
    }
  }

  /** What a limiter, a tracer or a log throws is their mistake: it must cost neither the key nor the loop. */
  async #look(key: string, cut: AbortSignal): Promise<void> {
    try {
      await this.#lookAndTell(key, cut)
    } catch (error) {
      this.#putOff(key)
      this.#options.log.error("a look could not be ended in good order, trying again", {
        controller: this.name,
        key,
        error: messageOf(error),
      })
    }
  }

  async #lookAndTell(key: string, cut: AbortSignal): Promise<void> {
    const { clock } = this.#options
    const causes = this.#causes.take(key)
    const [at, started] = [clock.now(), clock.elapsed()]
    const outcome = await this.#reconcile(key, causes, cut)
    const next = followUp(outcome, this.#options.dryRun)
    this.#echoes?.looked(key, outcome)
    if (outcome.plan === undefined && outcome.error === undefined) this.#context.ownWrites.forget(key)
    const milliseconds = clock.elapsed() - started
    let goesOn = true
    try {
      // Who was cut off in the middle has not failed: the next process looks again.
      if (!cut.aborted) goesOn = this.#follow(key, next)
    } finally {
      this.#report({ key, at, causes, outcome, next, nextAt: this.#nextAt(key), milliseconds, cut: cut.aborted })
    }
    if (cut.aborted) return
    const { results, error, observation: observed } = outcome
    const told: unknown = this.#options.controller.onReconciled?.(key, {
      now: clock.now(),
      observed,
      results,
      milliseconds,
      error,
      givenUp: !goesOn,
    })
    // It is not waited for; but one that is async all the same, and fails, would end the process.
    if (told instanceof Promise) told.catch((thrown: unknown) => this.#endedFailed(key, thrown))
  }

  #nextAt(key: string): number | undefined {
    const due = this.#queue.dueIn(key)
    return due === undefined ? undefined : this.#options.clock.now() + due
  }

  #endedFailed(key: string, thrown: unknown): void {
    this.#options.log.error("ended failed; the key is as it was", { controller: this.name, key, error: messageOf(thrown) })
  }

  #reconcile(key: string, causes: readonly string[], cut: AbortSignal): Promise<Outcome> {
    const attributes = { "pilothouse.controller": this.name, "pilothouse.key": key, "pilothouse.causes": [...causes] }
    const work = () => reconcile(key, this.#context, cut)
    return inSpan(this.#options.tracer, `reconcile ${this.name}`, attributes, work, ({ results, error }) => ({
      attributes: { "pilothouse.operations": results.length },
      error,
    }))
  }

  /** False: it failed, and only a change brings it back. */
  #follow(key: string, next: FollowUp): boolean {
    // A requeue keeps the priority of what it comes from.
    const priority = this.#queue.priorityOf(key)
    if (next.do === "rest" || next.do === "give-up" || next.do === "look-again") this.#queue.forget(key)
    if (next.do === "look-again" || next.do === "retry-after") this.#queue.add(key, { after: next.after, priority })
    if (next.do !== "retry") return next.do !== "give-up"
    const goesOn = this.#queue.retry(key)
    // The queue keeps the earlier of the two.
    if (next.within !== undefined) this.#queue.add(key, { after: next.within, priority })
    return goesOn || next.within !== undefined
  }
}

function followingOf({ controller, discovery, ...options }: WorkerOptions): Following | undefined {
  const { name, dynamicKinds: discovers } = controller
  return discovers && new Following({ ...options, controller: name, discovers, client: discovery })
}
