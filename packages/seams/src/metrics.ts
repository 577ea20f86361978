export type Labels = Readonly<Record<string, string>>

export interface Counter {
  add(amount?: number, labels?: Labels): void
  /** Forgets the series of these labels: what they name is gone. One that comes back begins at 0, as after a restart. */
  remove(labels?: Labels): void
}

export interface Gauge {
  set(value: number, labels?: Labels): void
  /** To what it is already: for those who each know their own part of it. A negative amount takes away. */
  add(amount: number, labels?: Labels): void
  /** Removes the series of these labels: what they described is deleted. */
  remove(labels?: Labels): void
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

const nothing = { add() {}, set() {}, remove() {}, observe() {} }

export const noMetrics: Metrics = { counter: () => nothing, gauge: () => nothing, histogram: () => nothing }
