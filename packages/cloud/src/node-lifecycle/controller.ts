import { type Node, nodes } from "@pilothouse/api/core/v1"
import { type Change, type Controller, controller, fixedIntervalLimiter } from "@pilothouse/runtime"
import type { Clock, Duration } from "@pilothouse/seams"
import { CloudCalls } from "../cloud-calls.ts"
import type { Instances } from "../provider.ts"
import { decide } from "./decide.ts"
import { observe, readiness } from "./observe.ts"
import { settle } from "./settle.ts"

export interface CloudNodeLifecycleOptions {
  readonly instances: Instances
  readonly clock: Clock
  /** --node-monitor-period */
  readonly monitorPeriod?: Duration
}

const maxWaiting = 100

/**
 * Deletes nodes whose machine the cloud no longer has, and taints those whose machine is switched off. The cloud is asked only about nodes that
 * are not Ready: a Ready one is there. The beat is kept whatever fails: after an outage, machines that are gone must be found at once.
 */
export function cloudNodeLifecycleController({ instances, clock, monitorPeriod = "5s" }: CloudNodeLifecycleOptions): Controller {
  const context = { instances, clock, calls: new CloudCalls({ clock, atOnce: maxWaiting }) }
  return controller("cloud-node-lifecycle-controller", {
    for: nodes,
    predicate: (change) => concernsLifecycle(change as Change<Node>),
    maxConcurrentReconciles: maxWaiting,
    backoff: () => fixedIntervalLimiter(monitorPeriod),
    observe: (key, read, signal) => observe(key, read, signal, context),
    decide: (observed) => decide(observed, monitorPeriod),
    settle,
  })
}

function concernsLifecycle(change: Change<Node>): boolean {
  return change.type !== "updated" || readiness(change.old) !== readiness(change.object)
}
