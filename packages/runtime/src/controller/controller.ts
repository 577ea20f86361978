import type { Descriptor, KubeObject } from "@pilothouse/api"
import { type Clock, type Duration, milliseconds, PilothouseError, type Random } from "@pilothouse/seams"
import type { Change } from "../cache/change.ts"
import type { Index } from "../cache/index-definition.ts"
import type { Limiter } from "../queue/rate-limiters.ts"
import { isSameResource } from "./declared-kind.ts"
import type { DynamicKinds } from "./dynamic-kinds/dynamic-kinds.ts"
import type { Executor } from "./plan/executor.ts"
import type { Plan, Result } from "./plan/plan.ts"
import type { Reader } from "./reader.ts"

/** What a decision may know beside what was observed. */
export interface DecideContext {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly random: Random
}

export interface EnqueueOptions<T extends KubeObject> {
  /** Whether a change counts; every one does unless told otherwise. `initial` is true for what was there at the start. */
  predicate?(change: Change<T>, initial: boolean): boolean
  /** How long the key waits, so that many changes come to one look. The earliest of several wishes wins. */
  readonly delay?: Duration
}

/**
 * State of the controller's own that is kept in step with a cache, where reading the cache anew at each look would cost too much.
 * Whenever the controller begins to work it is told to begin anew, then everything that is there, then each change, before any key is woken by it.
 */
export interface CacheObserver<T extends KubeObject = KubeObject> {
  readonly of: Descriptor<T>
  restart(): void
  changed(change: Change<T>): void
  /** What it can ask to wait while it has no room. */
  readonly attached?: (source: Pausable) => void
}

/** Tells its changes later while it is held. What waits meanwhile is bounded: in the end the server waits too. */
export interface Pausable {
  /** Until disposed. */
  pause(): Disposable
}

/** What became of a look at a key. */
export interface ReconcileResult<Observed = unknown> {
  /** When it was over, its writes included, in milliseconds since 1970. */
  readonly now: number
  /** Undefined when the object is gone, or could not be looked at. */
  readonly observed?: Observed
  /** Of all that was planned and settled. */
  readonly results: readonly Result[]
  readonly milliseconds: number
  readonly error?: unknown
  /** It failed, and is not tried again until something changes: the error is terminal, or the limiter has had enough. */
  readonly givenUp: boolean
}

/** State of a controller's own that follows a cache, for `followers`. */
export function cacheObserver<T extends KubeObject>(of: Descriptor<T>, state: Omit<CacheObserver<T>, "of">): CacheObserver {
  // Told only of objects of its own descriptor, as a watch is.
  const { attached } = state
  return { of, attached, restart: () => state.restart(), changed: (change: Change<T>) => state.changed(change) } as unknown as CacheObserver
}

/** Another kind whose changes wake this controller. */
export interface Watch<T extends KubeObject = KubeObject> extends EnqueueOptions<T> {
  readonly of: Descriptor<T>
  /** The keys that a change of this object may concern. */
  map(object: T, read: Reader): readonly string[]
  /** Why, for the trace. */
  readonly reason: string
}

/** Another kind whose changes wake keys, for `watches`: `watch(pods, "a pod changed", (pod) => [keyOf(pod)])`. */
export function watch<T extends KubeObject>(
  of: Descriptor<T>,
  reason: string,
  map: Watch<T>["map"],
  options: EnqueueOptions<T> = {},
): Watch {
  // A watch is used only with objects of its own descriptor; the list of them forgets the type.
  return { of, reason, map, ...options } as unknown as Watch
}

/** What wakes keys though nothing in Kubernetes has changed: a process that has ended, say. */
export interface EventSource {
  /** Until disposed. */
  listen(enqueue: (key: string, reason: string) => void): Disposable
}

/**
 * A control loop: reads the caches, decides what should be done, and lets the runtime do it.
 * It is called with a key whenever something it watches may concern that key; it is never told what happened.
 */
export interface ControllerSpec<Observed> {
  /** The kind whose keys are reconciled. */
  readonly for: Descriptor
  /** Whether a change of the object itself wakes its key at once; every one does unless told otherwise. A watch can take the others. */
  predicate?(change: Change, initial: boolean): boolean
  /**
   * A promise: after a look that wrote the status of its object and nothing else, a look at the same things with that status would write nothing, and
   * wait no shorter. The change which that write brings then wakes nobody. Whatever else changes does, of the same object too.
   */
  readonly ignoreOwnStatusWrites?: boolean
  /** Kinds whose objects wake the key of their controller. */
  readonly owns?: readonly Descriptor[]
  readonly watches?: readonly Watch[]
  /** Kinds that are only read. */
  readonly reads?: readonly Descriptor[]
  readonly sources?: readonly EventSource[]
  readonly indexes?: readonly Index[]
  readonly cacheObservers?: readonly CacheObserver[]
  /** Which keys go first: higher before lower. Where it says nothing, live changes (0) go before what was there at the start (-100). */
  priority?(key: string, read: Reader): number | undefined
  /** Kinds that are not known beforehand: found by asking the server, again and again. */
  readonly dynamicKinds?: DynamicKinds
  /** Keys worked on at once; 5 unless told otherwise. A key is never worked on twice at once. */
  readonly maxConcurrentReconciles?: number
  /** How long one look may take; 5 minutes unless told otherwise. */
  readonly reconcileTimeout?: Duration
  /** How long a key that failed waits for its next try; 5 ms, doubled with each failure up to 1000 s, unless told otherwise. */
  readonly backoff?: (clock: Clock) => Limiter
  /** Who its events say they come from; the controller's name unless told otherwise. */
  readonly eventSource?: string
  /** How its own kinds of operations are carried out: those on load balancers, ports and the like. */
  readonly executors?: readonly Executor[]
  /**
   * Every read stands here, of a cloud too; those of caches after the last await. Undefined: the object is gone, and there is nothing to do.
   * After the signal has aborted nobody waits for it any more.
   */
  observe(key: string, read: Reader, signal: AbortSignal): Observed | undefined | Promise<Observed | undefined>
  /** Pure: the same observation gives the same plan. */
  decide(observed: Observed, context: DecideContext): Plan
  /** Pure: what more to do once the results of the plan are known. */
  settle?(observed: Observed, results: readonly Result[], context: DecideContext): Plan
  /** Told when a look is over, its writes included; not when everything is being stopped. For whoever keeps a book of its keys, or counts. */
  onReconciled?(key: string, result: ReconcileResult<Observed>): void
  /** Told when a look was put off, because the caches of these kinds did not show the controller's own writes in time. */
  onCacheLagging?(key: string, lagging: readonly Descriptor[]): void
}

/** A control loop with its name: what a manager runs. */
export interface Controller<Observed = unknown> extends ControllerSpec<Observed> {
  readonly name: string
}

/** Makes a control loop. Write `observe` before `decide`: the compiler knows what `decide` gets from what `observe` gives back, and reads from top to bottom. */
export function controller<Observed>(name: string, spec: ControllerSpec<Observed>): Controller {
  const kind: Descriptor | undefined = spec.for
  if (kind?.kind === undefined) {
    throw new PilothouseError(
      "INVALID",
      `expected a kind in "for" of the controller ${name}, found ${String(kind)}; name the one whose keys it looks at`,
    )
  }
  checkCount(name, "concurrency", spec.maxConcurrentReconciles)
  checkCount(name, "timeLimit", spec.reconcileTimeout === undefined ? undefined : Math.ceil(milliseconds(spec.reconcileTimeout)))
  // The runtime only ever hands a controller's own observations back to it.
  return { name, ...spec } as unknown as Controller
}

/** Every kind whose cache the controller needs, each resource once. */
export function declaredKinds(spec: Controller): readonly Descriptor[] {
  const all = [
    spec.for,
    ...(spec.owns ?? []),
    ...(spec.watches ?? []).map((watched) => watched.of),
    ...(spec.reads ?? []),
    ...(spec.cacheObservers ?? []).map(({ of }) => of),
  ]
  return all.filter((kind, index) => all.findIndex((other) => isSameResource(kind, other)) === index)
}

/** With a concurrency of 0 a controller would wait for ever and say nothing. */
function checkCount(controller: string, option: string, value: number | undefined): void {
  if (value === undefined || (Number.isInteger(value) && value > 0)) return
  throw new PilothouseError("INVALID", `expected a whole number above 0 as the ${option} of the controller ${controller}, found ${value}`)
}
