import type { Labels, MetricOptions, Metrics } from "./metrics.ts"

/** Seconds, as Prometheus' own clients have them. */
const defaultBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Series {
  readonly labels: Labels
  /** The value of a counter or gauge; the sum of a histogram. */
  value: number
  count: number
  /** Observations at or under each bound, not yet added up. */
  readonly buckets: number[]
}

interface Family {
  readonly type: "counter" | "gauge" | "histogram"
  readonly options: MetricOptions
  readonly series: Map<string, Series>
}

export interface MemoryMetrics extends Metrics {
  /** The value of a counter or gauge, or how often a histogram was told something; 0 when never. */
  value(name: string, labels?: Labels): number
  /** Prometheus' text format. */
  text(): string
}

export function memoryMetrics(): MemoryMetrics {
  const families = new Map<string, Family>()

  const family = (type: Family["type"], options: MetricOptions): Family => {
    const known = families.get(options.name)
    if (known) return known
    const made: Family = { type, options, series: new Map() }
    families.set(options.name, made)
    return made
  }

  return {
    counter(options) {
      const { series } = family("counter", options)
      return { add: (amount = 1, labels = {}) => void (seriesOf(series, labels).value += amount) }
    },
    gauge(options) {
      const { series } = family("gauge", options)
      return { set: (value, labels = {}) => void (seriesOf(series, labels).value = value) }
    },
    histogram(options) {
      const { series } = family("histogram", options)
      const bounds = options.buckets ?? defaultBuckets
      return { observe: (value, labels = {}) => observe(seriesOf(series, labels), bounds, value) }
    },
    value(name, labels = {}) {
      const found = families.get(name)
      const series = found?.series.get(labelText(labels))
      return (found?.type === "histogram" ? series?.count : series?.value) ?? 0
    },
    text: () => [...families.values()].map(familyText).join(""),
  }
}

function seriesOf(all: Map<string, Series>, labels: Labels): Series {
  const key = labelText(labels)
  const known = all.get(key)
  if (known) return known
  const made: Series = { labels, value: 0, count: 0, buckets: [] }
  all.set(key, made)
  return made
}

function observe(series: Series, bounds: readonly number[], value: number): void {
  series.value += value
  series.count++
  const bucket = bounds.findIndex((bound) => value <= bound)
  if (bucket >= 0) series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1
}

function familyText({ type, options, series }: Family): string {
  const lines = [...series.values()].flatMap((one) =>
    type === "histogram" ? histogramLines(options, one) : [line(options.name, one.labels, one.value)],
  )
  return `# HELP ${options.name} ${options.help}\n# TYPE ${options.name} ${type}\n${lines.join("")}`
}

function histogramLines({ name, buckets = defaultBuckets }: MetricOptions, series: Series): string[] {
  let sum = 0
  const lines = buckets.map((bound, at) => {
    sum += series.buckets[at] ?? 0
    return line(`${name}_bucket`, { ...series.labels, le: String(bound) }, sum)
  })
  lines.push(line(`${name}_bucket`, { ...series.labels, le: "+Inf" }, series.count))
  return [...lines, line(`${name}_sum`, series.labels, series.value), line(`${name}_count`, series.labels, series.count)]
}

function line(name: string, labels: Labels, value: number): string {
  return `${name}${labelText(labels)} ${value}\n`
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))
  return pairs.length === 0 ? "" : `{${pairs.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(",")}}`
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
}
