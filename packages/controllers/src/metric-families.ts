import type { Counter, Gauge, Histogram, Metrics } from "@pilothouse/seams"

/** A metric as it is known outside: name, labels and buckets are kube-controller-manager's, so that its dashboards and alerts work. */
export interface Family<Type extends "counter" | "gauge" | "histogram" = "counter" | "gauge" | "histogram"> {
  readonly type: Type
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  /** Of a histogram; seconds as Prometheus' clients have them unless told otherwise. */
  readonly buckets?: readonly number[]
}

export type Families = Readonly<Record<string, Family>>

type Made<F extends Families> = {
  readonly [Name in keyof F]: F[Name] extends Family<"counter"> ? Counter : F[Name] extends Family<"gauge"> ? Gauge : Histogram
}

export function counterFamily(name: string, labels: readonly string[], help: string): Family<"counter"> {
  return { type: "counter", name, labels, help }
}

export function gaugeFamily(name: string, labels: readonly string[], help: string): Family<"gauge"> {
  return { type: "gauge", name, labels, help }
}

export function histogramFamily(name: string, labels: readonly string[], help: string, buckets?: readonly number[]): Family<"histogram"> {
  return { type: "histogram", name, labels, help, ...(buckets && { buckets }) }
}

/** first, first × factor, first × factor² …: so many of them. */
export function exponential(first: number, factor: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => first * factor ** at)
}

/** The metrics of the families, ready to be told something. */
export function makeMetrics<F extends Families>(metrics: Metrics, families: F): Made<F> {
  const made = Object.entries(families).map(([key, { type, name, help, buckets }]) => [key, metrics[type]({ name, help, buckets })])
  return Object.fromEntries(made) as Made<F>
}
