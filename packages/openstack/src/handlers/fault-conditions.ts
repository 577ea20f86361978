import { type ConditionLike, deepEqual, findCondition, formatTime, type KubeObject } from "@pilothouse/api"
import { type DecideContext, type EventHandler, type Plan, type PlannedEvent, plan } from "@pilothouse/runtime"

/** By the handler that writes it; no condition has two writers. */
export const conditionTypes = {
  /** On a Pod. */
  vif: "openstack.pilothouse.dev/PortReady",
  /** On a Service, as is the next. */
  lbaasspec: "openstack.pilothouse.dev/LoadBalancerSpecified",
  lb: "openstack.pilothouse.dev/LoadBalancerReady",
} as const

const prefix = "openstack.pilothouse.dev/"

interface Conditioned extends KubeObject {
  readonly status?: { readonly conditions?: readonly ConditionLike[] }
}

/**
 * The same handler, whose warnings are conditions too: a warning makes its condition false, with the reason and the message of the event, and
 * a reconcile without a fault makes it true again. An object that never had a fault has no condition, so that a pod costs no extra write.
 */
export function withCondition<T extends KubeObject, Observed>(type: string, handler: EventHandler<T, Observed>): EventHandler<T, Observed> {
  return {
    ...handler,
    predicate: ({ old, object }) => isRelevantChange(old, object),
    onPresent(event, observed, context) {
      const made = handler.onPresent?.(event, observed, context) ?? plan()
      return appendSteps(made, isReady(made) ? markReady(event.object, type, context) : markNotReady(event.object, type, made, context))
    },
    settle(event, observed, results, context) {
      const made = handler.settle?.(event, observed, results, context) ?? plan()
      return event.type === "deleted" ? made : appendSteps(made, markNotReady(event.object, type, made, context))
    },
  }
}

/** Nothing is warned of or waited for, and there is nothing to do but to write that down. */
function isReady({ events, waitingFor, steps }: Plan): boolean {
  return (
    !events.some(isWarning) && waitingFor.length === 0 && steps.every(({ operations }) => operations.every((one) => one.do === "patch"))
  )
}

function isWarning({ type }: PlannedEvent): boolean {
  return type === "Warning"
}

function markReady(object: KubeObject, type: string, context: DecideContext): Plan {
  const last = findCondition((object as Conditioned).status?.conditions, type)
  if (last?.status !== "False") return plan()
  return write(object, { type, status: "True", reason: "Ready", message: "resolved" }, `what it says is over: ${last.message}`, context)
}

function markNotReady(object: KubeObject, type: string, { events }: Plan, context: DecideContext): Plan {
  const warnings = events.filter(isWarning)
  const [first] = warnings
  if (first === undefined) return plan()
  const message = [...new Set(warnings.map((one) => one.message))].join("; ")
  const last = findCondition((object as Conditioned).status?.conditions, type)
  if (last?.status === "False" && last.reason === first.reason && last.message === message) return plan()
  return write(object, { type, status: "False", reason: first.reason, message }, `its condition does not say so yet: ${message}`, context)
}

/** Merged by type: conditions of others stay. With the UID a newer object of the same name is left alone. */
function write(object: KubeObject, condition: ConditionLike, reason: string, { now }: DecideContext): Plan {
  const last = findCondition((object as Conditioned).status?.conditions, condition.type)
  const lastTransitionTime = last?.status === condition.status ? last.lastTransitionTime : formatTime(now)
  const patch = { metadata: { uid: object.metadata.uid }, status: { conditions: [{ ...condition, lastTransitionTime }] } }
  return plan().patch(object, patch, reason, { type: "strategic", subresource: "status", tolerate: ["NotFound", "Conflict"] })
}

function appendSteps(made: Plan, more: Plan): Plan {
  if (more.steps.length === 0) return made
  const { steps, events, requeue, waitingFor, summary } = made
  return { steps: [...steps, ...more.steps], events, requeue, waitingFor, summary }
}

/** Changes of these conditions alone are ignored: a handler that failed and wrote its condition would be enqueued at once, without backoff. */
function isRelevantChange(old: Conditioned, object: Conditioned): boolean {
  return deepEqual(ourConditions(old), ourConditions(object)) || !deepEqual(theRest(old), theRest(object))
}

function ourConditions({ status }: Conditioned): readonly ConditionLike[] {
  return status?.conditions?.filter(({ type }) => type.startsWith(prefix)) ?? []
}

function theRest(object: Conditioned): unknown {
  const { resourceVersion: _, managedFields: __, ...metadata } = object.metadata
  const conditions = object.status?.conditions?.filter(({ type }) => !type.startsWith(prefix)) ?? []
  return { ...object, metadata, status: { ...object.status, conditions } }
}
