import type { Clock, Labels, Metrics } from "@pilothouse/seams"

/** 10 ns to 1000 s: upstream's buckets. */
const buckets: readonly number[] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000]

/** Milliseconds between updates of the age of active keys. */
const interval = 500

export interface QueueMetricsOptions {
  readonly name: string
  readonly clock: Clock
  readonly metrics: Metrics
}

/**
 * The metrics of a queue, with upstream's names and the label `name`.
 *
 * Invariant: `#started` has the active keys and when each was started; the timer runs exactly while it is not empty or its end was not
 * yet reported: an idle queue has no timer, so that virtual time can settle.
 */
export class QueueMetrics {
  readonly #clock: Clock
  readonly #name: string
  readonly #labels: Labels
  readonly #started = new Map<string, number>()
  readonly #series: ReturnType<typeof series>
  #timer: Disposable | undefined
  #closed = false

  constructor({ name, clock, metrics }: QueueMetricsOptions) {
    this.#clock = clock
    this.#name = name
    // Frozen: serialized once.
    this.#labels = Object.freeze({ name })
    this.#series = series(metrics)
  }

  added(depth: number): void {
    this.#series.adds.add(1, this.#labels)
    this.#series.depth.set(depth, this.#labels)
  }

  retried(): void {
    this.#series.retries.add(1, this.#labels)
  }

  /** Called when a key is started that became ready, or was added while active, at `since`. */
  started(key: string, since: number, depth: number): void {
    const now = this.#clock.elapsed()
    this.#started.set(key, now)
    this.#series.waited.observe((now - since) / 1000, this.#labels)
    this.#series.depth.set(depth, this.#labels)
    if (this.#timer === undefined && !this.#closed) this.#arm()
  }

  done(key: string): void {
    const started = this.#started.get(key)
    if (started === undefined) return
    this.#started.delete(key)
    this.#series.worked.observe((this.#clock.elapsed() - started) / 1000, this.#labels)
  }

  /** Stops the timer; keys that are still active are not reported any more. */
  close(): void {
    this.#closed = true
    this.#timer?.[Symbol.dispose]()
  }

  #arm(): void {
    this.#timer = this.#clock.timer(interval, `${this.#name}: metrics of active keys`, () => {
      const now = this.#clock.elapsed()
      const ages = [...this.#started.values()].map((started) => (now - started) / 1000)
      const sum = ages.reduce((total, age) => total + age, 0)
      this.#series.unfinished.set(sum, this.#labels)
      this.#series.longest.set(Math.max(0, ...ages), this.#labels)
      this.#timer = undefined
      if (ages.length > 0) this.#arm()
    })
  }
}

function series(metrics: Metrics) {
  return {
    depth: metrics.gauge({ name: "workqueue_depth", help: "Number of ready keys" }),
    adds: metrics.counter({ name: "workqueue_adds_total", help: "Number of adds, counted once per key until it is started" }),
    waited: metrics.histogram({ name: "workqueue_queue_duration_seconds", help: "How long a key waited in the queue", buckets }),
    worked: metrics.histogram({ name: "workqueue_work_duration_seconds", help: "How long processing a key took", buckets }),
    unfinished: metrics.gauge({
      name: "workqueue_unfinished_work_seconds",
      help: "Total age of active keys; a growing value means stuck workers",
    }),
    longest: metrics.gauge({ name: "workqueue_longest_running_processor_seconds", help: "Age of the oldest active key" }),
    retries: metrics.counter({ name: "workqueue_retries_total", help: "Number of retries" }),
  }
}
