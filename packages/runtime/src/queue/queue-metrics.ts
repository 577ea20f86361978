import type { Clock, Labels, Metrics } from "@pilothouse/seams"

/** 10 ns to 1000 s, as upstream has them. */
const buckets: readonly number[] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000]

/** How often the age of work in hand is told, in milliseconds. */
const interval = 500

export interface QueueMetricsOptions {
  readonly name: string
  readonly clock: Clock
  readonly metrics: Metrics
}

/**
 * What a queue tells about itself, with upstream's names and the label `name`.
 *
 * Always true between calls: `#started` has the keys in hand and when each was taken; the timer runs exactly while it is not empty or was not
 * yet told to be: an idle queue keeps no timer, so that virtual time can come to rest.
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
    // Frozen: written out once.
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

  /** A key was taken that became ready, or was asked for while in hand, at `since`. */
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

  /** Whoever is gone without giving its key back is not waited for. */
  close(): void {
    this.#closed = true
    this.#timer?.[Symbol.dispose]()
  }

  #arm(): void {
    this.#timer = this.#clock.timer(interval, `${this.#name}: metrics of work in hand`, () => {
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
    depth: metrics.gauge({ name: "workqueue_depth", help: "Keys that wait to be taken" }),
    adds: metrics.counter({ name: "workqueue_adds_total", help: "Keys that were asked for, counted once until they are taken" }),
    waited: metrics.histogram({ name: "workqueue_queue_duration_seconds", help: "How long a key waited before it was taken", buckets }),
    worked: metrics.histogram({ name: "workqueue_work_duration_seconds", help: "How long the work on a key took", buckets }),
    unfinished: metrics.gauge({ name: "workqueue_unfinished_work_seconds", help: "Age of all work in hand together; growing means stuck" }),
    longest: metrics.gauge({ name: "workqueue_longest_running_processor_seconds", help: "Age of the oldest work in hand" }),
    retries: metrics.counter({ name: "workqueue_retries_total", help: "Keys that were asked for again after a failure" }),
  }
}
