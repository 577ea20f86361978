/** Label values by name. */
export type Labels = Readonly<Record<string, string>>

/** A metric that only grows. */
export interface Counter {
  add(amount?: number, labels?: Labels): void
  /** Forgets the series of these labels: what they name is gone. One that comes back begins at 0, as after a restart. */
  remove(labels?: Labels): void
}

/** A metric that grows and shrinks. */
export interface Gauge {
  set(value: number, labels?: Labels): void
  /** Adds to the present value: for callers that each know their own part of it. A negative amount subtracts. */
  add(amount: number, labels?: Labels): void
  /** Removes the series of these labels: what they described is deleted. */
  remove(labels?: Labels): void
}

/** A metric that counts observations by bucket. */
export interface Histogram {
  observe(value: number, labels?: Labels): void
}

/** The name and the help of a metric. */
export interface MetricOptions {
  readonly name: string
  readonly help: string
  /** Upper bounds of a histogram's buckets, ascending. */
  readonly buckets?: readonly number[]
}

/** Asking twice for a name gives the same metric. */
export interface Metrics {
  counter(options: MetricOptions): Counter
  gauge(options: MetricOptions): Gauge
  histogram(options: MetricOptions): Histogram
}

const nothing = { add() {}, set() {}, remove() {}, observe() {} }

/** Metrics that count nothing: the default where none are passed. */
export const noMetrics: Metrics = { counter: () => nothing, gauge: () => nothing, histogram: () => nothing }
