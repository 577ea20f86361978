import { type Clock, type Duration, type Log, type Metrics, milliseconds, noMetrics, type Random, silentLog } from "@pilothouse/seams"
import type { Change } from "../cache/change.ts"
import type { Reader } from "../controller/caches/reader.ts"
import { type Controller, cacheObserver, controller, type EventSource } from "../controller/controller.ts"
import type { HealthCheck } from "../manager/health.ts"
import { DeliveryLog, type PipelineContext } from "./delivery-log.ts"
import { EventBuffer } from "./event-buffer.ts"
import { type EventHandler, type HandlerEvent, planFor } from "./event-handler.ts"
import { type FailedObject, FailedObjects } from "./failed-objects.ts"
import { pipelineMetrics } from "./pipeline-metrics.ts"
import { type RetryUntilOptions, retryUntil } from "./retry-until.ts"

/** Dependencies and retry options of a pipeline. */
export interface PipelineOptions {
  readonly handlers: readonly EventHandler[]
  readonly clock: Clock
  readonly random: Random
  readonly log?: Log
  readonly metrics?: Metrics
  /** Objects that a handler processes concurrently; 1000 by default. */
  readonly concurrency?: number
  /** Deletions of one name that may wait for a handler before the watch is paused. As many failed ones are kept. 100 by default. */
  readonly depth?: number
  readonly retry?: RetryUntilOptions
  /** Interval at which every object is delivered as present and failed events are retried; 10 min by default. */
  readonly resync?: Duration
}

/** Event handlers as controllers for a manager. */
export interface Pipeline {
  readonly controllers: readonly Controller[]
  /** The objects that were given up until their next event or the next resync. */
  failed(): readonly FailedObject[]
  /** For ManagerOptions.checks. Failed objects are reported but do not fail the check: a restart would not help them. */
  checks(): readonly HealthCheck[]
}

/**
 * Creates a pipeline: several independent handlers per kind that receive the events of its objects.
 *
 * Guarantees: a handler receives the events of one object sequentially, in order, and of different objects concurrently; while it is busy, states
 * fold to the newest, and a deletion is never lost: an object that was deleted and created again under the same name is delivered as both, in that order.
 * An event whose plan fails is retried until the deadline, then reported and kept; a terminal failure at once. Waiting occupies no worker.
 * A handler never sees a state older than its own last write. Objects that were deleted while no process ran are for the handlers to find.
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
  const { name, of, watches, reads, indexes, executors, eventSource, fieldManager, reconcileTimeout } = handler
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
    fieldManager,
    reconcileTimeout,
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

/** Without observe there is nothing to await. */
function observed(handler: EventHandler, event: HandlerEvent, read: Reader, signal: AbortSignal): unknown {
  return handler.observe?.(event, read, signal)
}

function checkOf(name: string, failed: readonly FailedObject[]): HealthCheck {
  const [first] = failed
  if (first === undefined) return { name, ok: true }
  return { name, ok: true, reason: `${failed.length} failed, ${first.key} among them: ${first.error}` }
}

interface ResyncSource {
  readonly source: EventSource
  readonly enqueue: (key: string, reason: string) => void
}

/** Creates an event source that enqueues every key at an interval, and single keys on demand, while it has a listener. */
function resyncSource(name: string, buffer: EventBuffer, every: number, clock: Clock): ResyncSource {
  let listening: ((key: string, reason: string) => void) | undefined
  return {
    enqueue: (key, reason) => listening?.(key, reason),
    source: {
      listen(enqueue) {
        listening = enqueue
        let timer: Disposable | undefined
        const arm = (): void => {
          timer = clock.timer(every, `resync of ${name}`, () => {
            for (const key of buffer.keys) {
              buffer.of(key).resync()
              enqueue(key, "resync")
            }
            arm()
          })
        }
        arm()
        return {
          [Symbol.dispose]() {
            timer?.[Symbol.dispose]()
            listening = undefined
          },
        }
      },
    },
  }
}
