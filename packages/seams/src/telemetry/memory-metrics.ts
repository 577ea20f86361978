import { PilothouseError } from "../errors/errors.ts"
import type { Labels, MetricOptions, Metrics } from "./metrics.ts"

/** Seconds, as Prometheus' own clients have them. */
const defaultBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const noLabels: Labels = Object.freeze({})

/** Series of one metric by default. Labels that come from users (names of Services, say) must not fill the memory. */
const defaultMaxSeries = 10_000

const dropped: MetricOptions = {
  name: "pilothouse_metric_series_dropped_total",
  help: "Values that were not kept as their metric has its maximum of series",
}

interface Series {
  readonly labels: Labels
  /** The value of a counter or gauge; the sum of a histogram. */
  value: number
  count: number
  /** Observations per bucket, each counted in the first bucket that holds it: added up only when written as text. */
  readonly buckets: number[]
}

interface Family {
  readonly type: "counter" | "gauge" | "histogram"
  readonly name: string
  readonly help: string
  readonly bounds: readonly number[]
  /** By the text of their labels; at most as many as maxSeries says. */
  readonly series: Map<string, Series>
  /** Takes the values of label sets beyond that; never shown. */
  readonly overflow: Series
}

/** Metrics in memory: readable by tests, and as text by Prometheus. */
export interface MemoryMetrics extends Metrics {
  /** The value of a counter or gauge, or the number of observations of a histogram; 0 when there are none. */
  value(name: string, labels?: Labels): number
  /** Prometheus' text format. */
  text(): string
}

/** The limit of series per metric. */
export interface MemoryMetricsOptions {
  /** Label sets that one metric keeps, 10,000 by default; values of further ones are dropped and counted in pilothouse_metric_series_dropped_total. */
  readonly maxSeries?: number
}

/** Returns an empty registry of metrics. */
export function memoryMetrics({ maxSeries = defaultMaxSeries }: MemoryMetricsOptions = {}): MemoryMetrics {
  const families = new Map<string, Family>()

  const family = (type: Family["type"], options: MetricOptions): Family => {
    const known = families.get(options.name)
    if (known && known.type !== type) throw invalid(options, `expected the ${known.type} it was first asked for as, found a ${type}`)
    if (known) return known
    const made = newFamily(type, options)
    families.set(options.name, made)
    return made
  }

  const keyOf = labelKeys()
  const seriesOf = (of: Family, labels: Labels): Series => {
    const key = keyOf(labels)
    const known = of.series.get(key)
    if (known !== undefined) return known
    if (of.series.size >= maxSeries) {
      // Not counted for itself: it has one series per metric, and would never end.
      if (of.name !== dropped.name) seriesOf(family("counter", dropped), { metric: of.name }).value++
      return of.overflow
    }
    const made = newSeries(labels)
    of.series.set(key, made)
    return made
  }

  return {
    counter(options) {
      const counter = family("counter", options)
      return {
        add(amount = 1, labels = noLabels) {
          if (!(amount >= 0)) throw invalid(options, `expected a counter to grow, found ${amount} to add; use a gauge`)
          seriesOf(counter, labels).value += amount
        },
        remove: (labels = noLabels) => void counter.series.delete(keyOf(labels)),
      }
    },
    gauge(options) {
      const gauge = family("gauge", options)
      return {
        set: (value, labels = noLabels) => void (seriesOf(gauge, labels).value = value),
        add(amount, labels = noLabels) {
          // Less of what is not here was dropped when it was added: a series of its own would begin below zero.
          const isDropped = amount < 0 && gauge.overflow.value > 0 && !gauge.series.has(keyOf(labels))
          const series = isDropped ? gauge.overflow : seriesOf(gauge, labels)
          series.value += amount
        },
        remove: (labels = noLabels) => void gauge.series.delete(keyOf(labels)),
      }
    },
    histogram(options) {
      const histogram = family("histogram", options)
      return { observe: (value, labels = noLabels) => observe(seriesOf(histogram, labels), histogram.bounds, value) }
    },
    value(name, labels = {}) {
      const found = families.get(name)
      const series = found?.series.get(labelText(labels))
      return (found?.type === "histogram" ? series?.count : series?.value) ?? 0
    },
    text: () => [...families.values()].map(familyText).join(""),
  }
}

function checkedBounds(options: MetricOptions): readonly number[] {
  if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(options.name)) throw invalid(options, "expected a name of letters, digits, _ and :")
  const bounds = options.buckets ?? defaultBuckets
  if (bounds.some((bound, at) => at > 0 && bound <= bounds[at - 1]!)) throw invalid(options, `expected ascending buckets, found ${bounds}`)
  return bounds
}

function invalid(options: MetricOptions, what: string): PilothouseError {
  return new PilothouseError("INVALID", `metric ${options.name}: ${what}`)
}

function newFamily(type: Family["type"], options: MetricOptions): Family {
  const { name, help } = options
  return { type, name, help, bounds: checkedBounds(options), series: new Map(), overflow: newSeries() }
}

/** Frozen labels are written out once: a caller that counts something very often makes them once. */
function labelKeys(): (labels: Labels) => string {
  const keys = new WeakMap<Labels, string>()
  return (labels) => {
    const known = keys.get(labels)
    if (known !== undefined) return known
    const key = labelText(labels)
    if (Object.isFrozen(labels)) keys.set(labels, key)
    return key
  }
}

function newSeries(labels: Labels = noLabels): Series {
  return { labels: { ...labels }, value: 0, count: 0, buckets: [] }
}

function observe(series: Series, bounds: readonly number[], value: number): void {
  series.value += value
  series.count++
  // Called several times for every message of every client: without a function made for it.
  let bucket = 0
  while (bucket < bounds.length && value > bounds[bucket]!) bucket++
  if (bucket < bounds.length) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1
}

function familyText(family: Family): string {
  const { type, name, help, series } = family
  const lines = [...series.values()].flatMap((one) =>
    type === "histogram" ? histogramLines(family, one) : [line(name, one.labels, one.value)],
  )
  return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join("")}`
}

function histogramLines({ name, bounds }: Family, series: Series): string[] {
  let sum = 0
  const lines = bounds.map((bound, at) => {
    sum += series.buckets[at] ?? 0
    return line(`${name}_bucket`, { ...series.labels, le: numberText(bound) }, sum)
  })
  lines.push(line(`${name}_bucket`, { ...series.labels, le: "+Inf" }, series.count))
  return [...lines, line(`${name}_sum`, series.labels, series.value), line(`${name}_count`, series.labels, series.count)]
}

function line(name: string, labels: Labels, value: number): string {
  return `${name}${labelText(labels)} ${numberText(value)}\n`
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))
  return pairs.length === 0 ? "" : `{${pairs.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(",")}}`
}

function numberText(value: number): string {
  return String(value).replace("Infinity", "Inf").replace(/^Inf/, "+Inf")
}

function escapeLabel(value: string): string {
  return escapeHelp(value).replaceAll('"', '\\"')
}

function escapeHelp(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")
}
