import type { Descriptor, KubeObject } from "@pilothouse/api"
import type { Change } from "../cache/change.ts"
import type { Reader } from "../controller/caches/reader.ts"
import type { ControllerSpec, DecideContext } from "../controller/controller.ts"
import type { Plan, Result } from "../controller/plan/plan.ts"

/**
 * An event of an object for a handler. "present": the object itself did not change, but something it depends on did, or it is a resync.
 * The object is the newest state; for "deleted" the last known one.
 */
export interface HandlerEvent<T extends KubeObject = KubeObject> {
  readonly type: "added" | "modified" | "present" | "deleted"
  readonly key: string
  readonly object: T
}

type Parts = "watches" | "reads" | "indexes" | "executors" | "sources" | "eventSource" | "fieldManager" | "reconcileTimeout"

/**
 * One of several independent handlers of a kind: the failure of one does not affect the others.
 *
 * For a present object onAdded or onModified is called and then onPresent, and their plans are executed one after the other; for one that
 * is deleted, onDeleted. All of them are pure; `observe` does the reads. An event is handled when the whole plan was executed.
 */
export interface EventHandler<T extends KubeObject = KubeObject, Observed = unknown> extends Pick<ControllerSpec<unknown>, Parts> {
  readonly name: string
  readonly of: Descriptor<T>
  /**
   * Whether an update of an object is delivered; every one is by default. For what a handler writes about its own failures, which must not
   * bring the retry forward. The next reconcile still sees the newest state; added and deleted objects are always delivered.
   */
  predicate?(change: Change<T> & { readonly type: "updated" }): boolean
  observe?(event: HandlerEvent<T>, read: Reader, signal: AbortSignal): Observed | Promise<Observed>
  onAdded?(event: HandlerEvent<T>, observed: Observed, context: DecideContext): Plan
  onModified?(event: HandlerEvent<T>, observed: Observed, context: DecideContext): Plan
  onPresent?(event: HandlerEvent<T>, observed: Observed, context: DecideContext): Plan
  onDeleted?(event: HandlerEvent<T>, observed: Observed, context: DecideContext): Plan
  /** Plans further operations from the results. */
  settle?(event: HandlerEvent<T>, observed: Observed, results: readonly Result[], context: DecideContext): Plan
}

/** Creates a handler of a pipeline with the type of its objects. */
export function eventHandler<T extends KubeObject, Observed = undefined>(handler: EventHandler<T, Observed>): EventHandler {
  // A handler is only called with objects of its own descriptor and with its own observations.
  return handler as unknown as EventHandler
}

/** Returns the joined plans of one event. */
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
    return { steps: [], events: [], waitingFor: [], summary: `${handler.name} has no handler for a ${event.type} object` }
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
