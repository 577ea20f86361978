import { type Clock, type Labels, type Log, type Metrics, noMetrics } from "@pilothouse/seams"

/** Milliseconds. Handlers that take longer than this for a batch delay all others. */
const slowBatch = 100
const minLoggedChanges = 10

export interface InformerMetricsOptions {
  /** The resource, "pods": the label `name`. */
  readonly name: string
  readonly clock: Clock
  readonly log: Log
  readonly metrics?: Metrics
}

/** Measures how long handlers take for a batch of changes, and how far the store has come. */
export class InformerMetrics {
  readonly #options: InformerMetricsOptions
  readonly #queued
  readonly #latency
  readonly #version
  readonly #on: boolean
  /** Frozen: serialized once and passed with every event. */
  readonly #labels: Labels

  constructor(options: InformerMetricsOptions) {
    const { metrics = noMetrics } = options
    this.#options = options
    this.#on = metrics !== noMetrics
    this.#labels = Object.freeze({ name: options.name })
    this.#queued = metrics.gauge({ name: "informer_queued_items", help: "Changes that wait to be applied to the store" })
    this.#latency = metrics.histogram({
      name: "informer_processing_latency_seconds",
      help: "How long a batch of changes takes, handlers included",
    })
    this.#version = metrics.gauge({ name: "informer_store_resource_version", help: "The resourceVersion that the store has reached" })
  }

  queued(count: number): void {
    if (this.#on) this.#queued.set(count, this.#labels)
  }

  /** Records a batch; `since` is elapsed() before it. */
  batchProcessed(since: number, changes: number, resourceVersion: string): void {
    const { clock, log, name } = this.#options
    const took = clock.elapsed() - since
    if (took > slowBatch && changes > minLoggedChanges)
      log.warn(`the handlers of ${name} are slow`, { resource: name, changes, milliseconds: took })
    if (!this.#on) return
    this.#latency.observe(took / 1000, this.#labels)
    this.#version.set(Number(resourceVersion), this.#labels)
  }
}
