import { type Clock, type Duration, type Log, type Metrics, milliseconds, noMetrics, type Random, silentLog } from "@pilothouse/seams"
import type { Change } from "../cache/change.ts"
import { type Controller, cacheObserver, controller } from "../controller/controller.ts"
import type { Reader } from "../controller/reader.ts"
import type { HealthCheck } from "../manager/health.ts"
import { DeliveryLog, type PipelineContext } from "./delivery-log.ts"
import { EventBuffer } from "./event-buffer.ts"
import { type EventHandler, type HandlerEvent, planFor } from "./event-handler.ts"
import { type FailedObject, FailedObjects } from "./failed-objects.ts"
import { pipelineMetrics } from "./pipeline-metrics.ts"
import { resyncSource } from "./resync-source.ts"
import { type RetryUntilOptions, retryUntil } from "./retry-until.ts"

/** What a pipeline runs on, and how it goes on after failures. */
export interface PipelineOptions {
  readonly handlers: readonly EventHandler[]
  readonly clock: Clock
  readonly random: Random
  readonly log?: Log
  readonly metrics?: Metrics
  /** Objects that a handler works on at once; 1000 unless told otherwise. */
  readonly concurrency?: number
  /** Deletions of objects of one name that may wait for a handler; then the watch waits. As many that failed are remembered. 100 unless told otherwise. */
  readonly depth?: number
  readonly retry?: RetryUntilOptions
  /** How often every object is told as present, and what failed is tried again; 10 min unless told otherwise. */
  readonly resync?: Duration
}

/** Handlers of events, as controllers for a manager to run. */
export interface Pipeline {
  readonly controllers: readonly Controller[]
  /** What was given up and waits for its next event or the next resync. */
  failed(): readonly FailedObject[]
  /** For ManagerOptions.checks. Objects that failed are told, but are no reason to start the process anew: what they wait for is elsewhere. */
  checks(): readonly HealthCheck[]
}

/**
 * Several independent handlers per kind, told what happens to its objects.
 *
 * Promises: a handler is told of one object one event after the other, in order, and of different objects at the same time; while it is busy, states
 * fold to the newest, and a deletion is never lost: what was deleted and made anew under the same name is told as both, in that order.
 * An event whose plan fails is tried again until the deadline, then reported and kept; a terminal failure at once. Waiting holds no worker.
 * A handler never sees a state older than its own last write. What was deleted while no process ran is for its handlers to find.
 */
export function pipeline(options: PipelineOptions): Pipeline {
  const { clock, random, log = silentLog, metrics = noMetrics } = options
  const failed = new FailedObjects(clock)
  const context = { clock, random, log, failed, metrics: pipelineMetrics(metrics) }
  return {
    controllers: options.handlers.map((handler) => handlerController(handler, options, context)),
    failed: () => failed.all,
    checks: () => options.handlers.map(({ name }) => checkOf(name, failed.of(name))),
  }
}

interface Seen {
  readonly event: HandlerEvent
  readonly found: unknown
}

function handlerController(
  handler: EventHandler,
  options: PipelineOptions,
  context: PipelineContext & Pick<PipelineOptions, "clock" | "random">,
): Controller {
  const { concurrency = 1000, depth = 100, resync = "10m", retry = {} } = options
  const { name, of, watches, reads, indexes, executors, eventSource, reconcileTimeout: reconcileTimeout } = handler
  const buffer = new EventBuffer(depth)
  const resyncs = resyncSource(name, buffer, milliseconds(resync), context.clock)
  const deliveries = new DeliveryLog(name, buffer, context, resyncs.enqueue)
  const isDelivered = (change: Change) => change.type !== "updated" || handler.predicate?.(change) !== false
  return controller<Seen>(name, {
    for: of,
    predicate: isDelivered,
    watches,
    reads,
    indexes,
    executors,
    eventSource,
    reconcileTimeout: reconcileTimeout,
    maxConcurrentReconciles: concurrency,
    sources: [...(handler.sources ?? []), resyncs.source],
    backoff: (clock) => retryUntil(retry, clock, context.random),
    cacheObservers: [
      cacheObserver(of, {
        attached: (source) => buffer.attached(source),
        restart: () => deliveries.restart(),
        changed: (change) => {
          if (isDelivered(change)) buffer.add(change)
        },
      }),
    ],
    observe: async (key, read, signal) => {
      const event = deliveries.begin(key, (one) => read.get(of, one))
      return event && { event, found: await observed(handler, event, read, signal) }
    },
    decide: ({ event, found }, context) => planFor(handler, event, found, context),
    ...(handler.settle && { settle: ({ event, found }, results, context) => handler.settle!(event, found, results, context) }),
    onReconciled: (key, end) => deliveries.finish(key, end),
  })
}

/** Nothing to observe: nothing to wait for either. */
function observed(handler: EventHandler, event: HandlerEvent, read: Reader, signal: AbortSignal): unknown {
  return handler.observe?.(event, read, signal)
}

function checkOf(name: string, failed: readonly FailedObject[]): HealthCheck {
  const [first] = failed
  if (first === undefined) return { name, ok: true }
  return { name, ok: true, reason: `${failed.length} failed, ${first.key} among them: ${first.error}` }
}
