import type { Descriptor, KubeObject } from "@pilothouse/api"
import { type Clock, type Duration, milliseconds, PilothouseError, type Random } from "@pilothouse/seams"
import type { Change } from "../cache/change.ts"
import type { Index } from "../cache/index-definition.ts"
import type { Limiter } from "../queue/rate-limiters.ts"
import { isSameResource } from "./caches/declared-kind.ts"
import type { DynamicKinds } from "./caches/dynamic-kinds.ts"
import type { Reader } from "./caches/reader.ts"
import type { Watch } from "./caches/watch.ts"
import type { Executor } from "./plan/executor.ts"
import type { Plan, Result } from "./plan/plan.ts"
import type { NotGiven, RequireExecutors } from "./plan/require-executors.ts"

/** The inputs of a decision other than the observation. */
export interface DecideContext {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly random: Random
}

/**
 * State of a controller that is derived from a cache, where reading the whole cache in each reconcile would cost too much.
 * When the controller starts, restart() is called, then changed() for each present object and for each change, before the change enqueues any key.
 */
export interface CacheObserver<T extends KubeObject = KubeObject> {
  readonly of: Descriptor<T>
  restart(): void
  changed(change: Change<T>): void
  /** Receives the source, which it can pause while it has no room. */
  readonly attached?: (source: Pausable) => void
}

/** A source that delivers no changes while it is paused. Its buffer is bounded: in the end the watch is not read. */
export interface Pausable {
  /** In effect until disposed. */
  pause(): Disposable
}

/** The result of one reconcile of a key. */
export interface ReconcileResult<Observed = unknown> {
  /** When it ended, including its writes, in milliseconds since 1970. */
  readonly now: number
  /** Undefined when the object does not exist, or observe failed. */
  readonly observed?: Observed
  /** The results of all operations, of decide and of settle. */
  readonly results: readonly Result[]
  readonly milliseconds: number
  readonly error?: unknown
  /** It failed and is not retried until something changes: the error is terminal, or the limiter has given up. */
  readonly givenUp: boolean
}

/** Creates an observer for `cacheObservers` with the type of its objects. */
export function cacheObserver<T extends KubeObject>(of: Descriptor<T>, state: Omit<CacheObserver<T>, "of">): CacheObserver {
  // Called only with objects of its own descriptor, as a watch is.
  const { attached } = state
  return { of, attached, restart: () => state.restart(), changed: (change: Change<T>) => state.changed(change) } as unknown as CacheObserver
}

/** Enqueues keys for events outside Kubernetes, such as a process that has ended. */
export interface EventSource {
  /** In effect until disposed. */
  listen(enqueue: (key: string, reason: string) => void): Disposable
}

/** Writes of one resource that a controller makes: `{ of: pods, subresource: "eviction", verbs: ["create"] }`. */
export interface WriteRight {
  readonly of: Descriptor
  readonly subresource?: string
  readonly verbs: readonly ("create" | "update" | "patch" | "delete" | "deletecollection")[]
}

/**
 * A controller: reads the caches, decides what should be done, and returns it as a plan.
 * It is called with a key whenever a watched change may concern that key, never with the event itself.
 */
export interface ControllerSpec<
  Observed,
  Decided extends Plan = Plan,
  Executors extends readonly Executor[] = readonly Executor[],
  For extends KubeObject = KubeObject,
> {
  /** The kind whose keys are reconciled. */
  readonly for: Descriptor<For>
  /**
   * Whether a change of the object itself enqueues its key; every change does by default. A watch can handle the others, for example with a delay.
   * controller-runtime's GenerationChangedPredicate is `(change) => change.type !== "updated" || change.object.metadata.generation !== change.old.metadata.generation`.
   */
  predicate?(change: Change<For>, initial: boolean): boolean
  /**
   * A promise of the controller: after a reconcile that wrote the status of its object and nothing else, another reconcile of that state writes nothing and
   * requeues no earlier. The change from that write then enqueues nothing. All other changes do, of the same object too.
   */
  readonly ignoreOwnStatusWrites?: boolean
  /** Kinds whose objects enqueue the key of their controller: controller-runtime's Owns, which is EnqueueRequestForOwner with OnlyControllerOwner. */
  readonly owns?: readonly Descriptor[]
  readonly watches?: readonly Watch[]
  /** Kinds that are only read. */
  readonly reads?: readonly Descriptor[]
  /**
   * All writes of the controller, from which its rights are derived: `clusterRole()`, `pilothouse rbac`, and a test's `cluster({ rbac: true })`. By default it
   * may patch and update its own kind and its status, and create, patch, update and delete what it owns.
   */
  readonly writes?: readonly WriteRight[]
  readonly sources?: readonly EventSource[]
  readonly indexes?: readonly Index[]
  readonly cacheObservers?: readonly CacheObserver[]
  /** The priority of a key: higher before lower. By default live changes have 0 and objects that were there at the start -100. */
  priority?(key: string, read: Reader): number | undefined
  /** Kinds that are found by discovery, which is repeated. */
  readonly dynamicKinds?: DynamicKinds
  /** Keys reconciled concurrently; 5 by default. A key is never reconciled twice at once. */
  readonly maxConcurrentReconciles?: number
  /** Time limit of one reconcile; 5 minutes by default. */
  readonly reconcileTimeout?: Duration
  /** Delay of a failed key before its retry; 5 ms, doubled with each failure up to 1000 s, by default. */
  readonly backoff?: (clock: Clock) => Limiter
  /** The field manager of its writes and events; the controller's name by default. */
  readonly fieldManager?: string
  /** Source component of its events; the controller's name by default. */
  readonly eventSource?: string
  /** Executors of its custom operations: on load balancers, ports and so on. */
  readonly executors?: Executors
  /**
   * Does all reads, of a cloud too; cache reads after the last await. Returns undefined when the object does not exist and there is nothing to do.
   * Its result is ignored after the signal has aborted.
   */
  observe(key: string, read: Reader, signal: AbortSignal): Observed | undefined | Promise<Observed | undefined>
  /** Pure: the same observation gives the same plan. */
  decide(observed: Observed, context: DecideContext): Decided
  /** Pure: what more to do once the results of the plan are known. */
  settle?(observed: Observed, results: readonly Result[], context: DecideContext): Plan
  /** Called when a reconcile has ended, including its writes; not during shutdown. For bookkeeping by key and for metrics. */
  onReconciled?(key: string, result: ReconcileResult<Observed>): void
  /** Called when a reconcile was delayed because the caches of these kinds did not show the controller's own writes in time. */
  onCacheLagging?(key: string, lagging: readonly Descriptor[]): void
}

/** A controller with its name: what a manager runs. */
export interface Controller<Observed = unknown> extends ControllerSpec<Observed> {
  readonly name: string
}

/**
 * Creates a controller. Write `observe` before `decide`: the compiler infers the parameter of `decide` from the result of `observe`, in source order.
 * A custom operation of `decide` without an executor that takes it does not compile, where `decide` returns the plan builder itself.
 */
export function controller<
  Observed,
  Decided extends Plan = Plan,
  const Executors extends readonly Executor[] = NotGiven,
  For extends KubeObject = KubeObject,
>(name: string, spec: ControllerSpec<Observed, Decided, Executors, For> & RequireExecutors<Decided, Executors>): Controller {
  const kind: Descriptor | undefined = spec.for
  if (kind?.kind === undefined) {
    throw new PilothouseError(
      "INVALID",
      `expected a kind in "for" of the controller ${name}, found ${String(kind)}; name the one whose keys it reconciles`,
    )
  }
  checkCount(name, "maxConcurrentReconciles", spec.maxConcurrentReconciles)
  checkCount(name, "reconcileTimeout", spec.reconcileTimeout === undefined ? undefined : Math.ceil(milliseconds(spec.reconcileTimeout)))
  // The runtime passes a controller only its own observations.
  return { name, ...spec } as unknown as Controller
}

/** Returns the field manager of a controller's writes. */
export function fieldManagerOf({ fieldManager, name }: Pick<Controller, "fieldManager" | "name">): string {
  return fieldManager ?? name
}

/** Returns every kind whose cache the controller needs, each resource once. */
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

/** With a limit of 0 a controller would silently do nothing. */
function checkCount(controller: string, option: string, value: number | undefined): void {
  if (value === undefined || (Number.isInteger(value) && value > 0)) return
  throw new PilothouseError("INVALID", `expected a whole number above 0 as the ${option} of the controller ${controller}, found ${value}`)
}
