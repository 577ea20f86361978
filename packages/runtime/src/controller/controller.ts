import type { Descriptor, KubeObject } from "@pilothouse/api"
import { type Clock, type Duration, PilothouseError, type Random } from "@pilothouse/seams"
import type { Change } from "../cache/change.ts"
import type { Index } from "../cache/index-definition.ts"
import type { Limiter } from "../queue/limiters.ts"
import { isSameResource } from "./declared-kind.ts"
import type { Executor } from "./executor.ts"
import type { Plan, Result } from "./plan.ts"
import type { Reader } from "./reader.ts"

export interface DecideContext {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly random: Random
}

export interface WakeOptions<T extends KubeObject> {
  /** Whether a change counts; every one does unless told otherwise. `initial` is true for what was there at the start. */
  when?(change: Change<T>, initial: boolean): boolean
  /** How long the key waits, so that many changes come to one look. The earliest of several wishes wins. */
  readonly after?: Duration
}

/** Another kind whose changes wake this controller. */
export interface Watch<T extends KubeObject = KubeObject> extends WakeOptions<T> {
  readonly of: Descriptor<T>
  /** The keys that a change of this object may concern. */
  map(object: T, read: Reader): readonly string[]
  /** Why, for the trace. */
  readonly because: string
}

export function watch<T extends KubeObject>(of: Descriptor<T>, because: string, map: Watch<T>["map"], options: WakeOptions<T> = {}): Watch {
  // A watch is used only with objects of its own descriptor; the list of them forgets the type.
  return { of, because, map, ...options } as unknown as Watch
}

/**
 * A control loop: reads the caches, decides what should be done, and lets the runtime do it.
 * It is called with a key whenever something it watches may concern that key; it is never told what happened.
 */
export interface ControllerSpec<Observed> {
  /** The kind whose keys are reconciled. */
  readonly for: Descriptor
  /** Whether a change of the object itself wakes its key at once; every one does unless told otherwise. A watch can take the others. */
  when?(change: Change, initial: boolean): boolean
  /** Kinds whose objects wake the key of their controller. */
  readonly owns?: readonly Descriptor[]
  readonly watches?: readonly Watch[]
  /** Kinds that are only read. */
  readonly reads?: readonly Descriptor[]
  readonly indexes?: readonly Index[]
  /** Keys worked on at once; 5 unless told otherwise. A key is never worked on twice at once. */
  readonly concurrency?: number
  /** Milliseconds one look may take; 5 minutes unless told otherwise. */
  readonly timeLimit?: number
  /** How long a key that failed waits for its next try; 5 ms, doubled with each failure up to 1000 s, unless told otherwise. */
  readonly backoff?: (clock: Clock) => Limiter
  /** Who its events say they come from; the controller's name unless told otherwise. */
  readonly eventSource?: string
  /** How its own kinds of operations are carried out: those on load balancers, ports and the like. */
  readonly executors?: readonly Executor[]
  /** Every read stands here; those of caches after the last await. Undefined: the object is gone, and there is nothing to do. */
  observe(key: string, read: Reader): Observed | undefined | Promise<Observed | undefined>
  /** Pure: the same observation gives the same plan. */
  decide(observed: Observed, context: DecideContext): Plan
  /** Pure: what more to do once the results of the plan are known. */
  settle?(observed: Observed, results: readonly Result[], context: DecideContext): Plan
}

export interface Controller<Observed = unknown> extends ControllerSpec<Observed> {
  readonly name: string
}

export function controller<Observed>(name: string, spec: ControllerSpec<Observed>): Controller {
  checkCount(name, "concurrency", spec.concurrency)
  checkCount(name, "timeLimit", spec.timeLimit)
  // The runtime only ever hands a controller's own observations back to it.
  return { name, ...spec } as unknown as Controller
}

/** Every kind whose cache the controller needs, each resource once. */
export function declaredKinds(spec: Controller): readonly Descriptor[] {
  const all = [spec.for, ...(spec.owns ?? []), ...(spec.watches ?? []).map((watched) => watched.of), ...(spec.reads ?? [])]
  return all.filter((kind, index) => all.findIndex((other) => isSameResource(kind, other)) === index)
}

/** With a concurrency of 0 a controller would wait for ever and say nothing. */
function checkCount(controller: string, option: string, value: number | undefined): void {
  if (value === undefined || (Number.isInteger(value) && value > 0)) return
  throw new PilothouseError("INVALID", `expected a whole number above 0 as the ${option} of the controller ${controller}, found ${value}`)
}
