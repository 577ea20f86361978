import type { Descriptor, KubeObject } from "@pilothouse/api"
import type { Change } from "../cache/change.ts"
import type { ControllerSpec, DecideContext } from "../controller/controller.ts"
import type { Plan, Result } from "../controller/plan/plan.ts"
import type { Reader } from "../controller/reader.ts"

/**
 * What a handler is told of an object. "present": nothing is known to have changed, but something it depends on did, or it is time for a look.
 * The object is the newest state; of a deleted one the last that was seen.
 */
export interface HandlerEvent<T extends KubeObject = KubeObject> {
  readonly type: "added" | "modified" | "present" | "deleted"
  readonly key: string
  readonly object: T
}

type Parts = "watches" | "reads" | "indexes" | "executors" | "sources" | "eventSource" | "reconcileTimeout"

/**
 * One of several that care for a kind, each on its own: what one of them does or fails to do is nothing to the others.
 *
 * Of an object that is there, onAdded or onModified is asked and then onPresent, and their plans are carried out one after the other; of one that
 * is gone, onDeleted. All of them are pure; what they need to know is read by `observe`. An event counts as handled when the whole plan was carried out.
 */
export interface EventHandler<T extends KubeObject = KubeObject, Observed = unknown> extends Pick<ControllerSpec<unknown>, Parts> {
  readonly name: string
  readonly of: Descriptor<T>
  /**
   * Whether a newer state of an object is told; every one is unless told otherwise. For what a handler writes about its own failures, which must not
   * bring the next try forward. A state that is not told is still the one that is seen at the next look; what comes and goes is always told.
   */
  predicate?(change: Change<T> & { readonly type: "updated" }): boolean
  observe?(event: HandlerEvent<T>, read: Reader, signal: AbortSignal): Observed | Promise<Observed>
  onAdded?(event: HandlerEvent<T>, observed: Observed, context: DecideContext): Plan
  onModified?(event: HandlerEvent<T>, observed: Observed, context: DecideContext): Plan
  onPresent?(event: HandlerEvent<T>, observed: Observed, context: DecideContext): Plan
  onDeleted?(event: HandlerEvent<T>, observed: Observed, context: DecideContext): Plan
  /** What more to do once the results are known. */
  settle?(event: HandlerEvent<T>, observed: Observed, results: readonly Result[], context: DecideContext): Plan
}

/** A handler of a pipeline, with the type of its objects. */
export function eventHandler<T extends KubeObject, Observed = undefined>(handler: EventHandler<T, Observed>): EventHandler {
  // A handler is only ever told of objects of its own descriptor, and handed its own observations.
  return handler as unknown as EventHandler
}

/** The plans of one event, one after the other. */
export function planFor(handler: EventHandler, event: HandlerEvent, observed: unknown, context: DecideContext): Plan {
  const answers =
    event.type === "deleted"
      ? [handler.onDeleted?.(event, observed, context)]
      : [
          event.type === "added" ? handler.onAdded?.(event, observed, context) : undefined,
          event.type === "modified" ? handler.onModified?.(event, observed, context) : undefined,
          handler.onPresent?.(event, observed, context),
        ]
  const plans = answers.filter((plan) => plan !== undefined)
  const [first, ...more] = plans
  if (first === undefined)
    return { steps: [], events: [], waitingFor: [], summary: `${handler.name} has nothing to say of a ${event.type} object` }
  return more.reduce(joined, first)
}

function joined(one: Plan, other: Plan): Plan {
  return {
    steps: [...one.steps, ...other.steps],
    events: [...one.events, ...other.events],
    waitingFor: [...one.waitingFor, ...other.waitingFor],
    requeue: other.requeue ?? one.requeue,
    summary: other.summary ?? one.summary,
    stuck: other.summary === undefined ? one.stuck : other.stuck,
  }
}
