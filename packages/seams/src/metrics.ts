export type Labels = Readonly<Record<string, string>>

export interface Counter {
  add(amount?: number, labels?: Labels): void
}

export interface Gauge {
  set(value: number, labels?: Labels): void
}

export interface Histogram {
  observe(value: number, labels?: Labels): void
}

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

const nothing = { add() {}, set() {}, observe() {} }

export const noMetrics: Metrics = { counter: () => nothing, gauge: () => nothing, histogram: () => nothing }
