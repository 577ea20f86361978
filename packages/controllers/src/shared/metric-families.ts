import type { Counter, Gauge, Histogram, Metrics } from "@pilothouse/seams"

/** A metric as it is known outside: name, labels and buckets are kube-controller-manager's, so that its dashboards and alerts work. */
export interface MetricFamily<Type extends "counter" | "gauge" | "histogram" = "counter" | "gauge" | "histogram"> {
  readonly type: Type
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  /** Of a histogram; by default those for seconds of Prometheus' clients. */
  readonly buckets?: readonly number[]
}

export type MetricFamilies = Readonly<Record<string, MetricFamily>>

type CreatedMetrics<F extends MetricFamilies> = {
  readonly [Name in keyof F]: F[Name] extends MetricFamily<"counter"> ? Counter : F[Name] extends MetricFamily<"gauge"> ? Gauge : Histogram
}

export function counterFamily(name: string, labels: readonly string[], help: string): MetricFamily<"counter"> {
  return { type: "counter", name, labels, help }
}

export function gaugeFamily(name: string, labels: readonly string[], help: string): MetricFamily<"gauge"> {
  return { type: "gauge", name, labels, help }
}

export function histogramFamily(
  name: string,
  labels: readonly string[],
  help: string,
  buckets?: readonly number[],
): MetricFamily<"histogram"> {
  return { type: "histogram", name, labels, help, ...(buckets && { buckets }) }
}

/** Returns `count` buckets: first, first × factor, first × factor² … */
export function exponentialBuckets(first: number, factor: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => first * factor ** at)
}

/** Creates the metrics of the families. */
export function createMetrics<F extends MetricFamilies>(metrics: Metrics, families: F): CreatedMetrics<F> {
  const made = Object.entries(families).map(([key, { type, name, help, buckets }]) => [key, metrics[type]({ name, help, buckets })])
  return Object.fromEntries(made) as CreatedMetrics<F>
}
