import { describe, expect, test } from "vitest"
import { type MemoryMetrics, memoryMetrics } from "./memory-metrics.ts"
import { noMetrics } from "./metrics.ts"

const rows: Record<string, { tell: (metrics: MemoryMetrics) => void; text: string }> = {
  "a counter": {
    tell: (metrics) => {
      const counter = metrics.counter({ name: "requests_total", help: "Requests." })
      counter.add()
      counter.add(2)
    },
    text: "# HELP requests_total Requests.\n# TYPE requests_total counter\nrequests_total 3\n",
  },
  "a gauge per label set, labels sorted by name": {
    tell: (metrics) => {
      const gauge = metrics.gauge({ name: "depth", help: "Depth." })
      gauge.set(5, { queue: "b", kind: "Pod" })
      gauge.set(-1.5, { queue: "a", kind: "Pod" })
      gauge.set(4, { kind: "Pod", queue: "b" })
    },
    text: '# HELP depth Depth.\n# TYPE depth gauge\ndepth{kind="Pod",queue="b"} 4\ndepth{kind="Pod",queue="a"} -1.5\n',
  },
  "a gauge that several add to, and one that is gone": {
    tell: (metrics) => {
      const gauge = () => metrics.gauge({ name: "open", help: "Open." })
      gauge().add(2, { service: "a" })
      gauge().add(-1, { service: "a" })
      gauge().set(4, { service: "b" })
      gauge().remove({ service: "b" })
      gauge().remove({ service: "never told" })
    },
    text: '# HELP open Open.\n# TYPE open gauge\nopen{service="a"} 1\n',
  },
  "escaped labels and help": {
    tell: (metrics) => metrics.gauge({ name: "g", help: 'a\\b\n"c"' }).set(1, { path: 'C:\\x "y"\nz' }),
    text: '# HELP g a\\\\b\\n"c"\n# TYPE g gauge\ng{path="C:\\\\x \\"y\\"\\nz"} 1\n',
  },
  "numbers that are not finite": {
    tell: (metrics) => {
      const gauge = metrics.gauge({ name: "g", help: "G." })
      for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) gauge.set(value, { value: String(value) })
    },
    text: '# HELP g G.\n# TYPE g gauge\ng{value="NaN"} NaN\ng{value="Infinity"} +Inf\ng{value="-Infinity"} -Inf\n',
  },
  "a histogram with cumulative buckets": {
    tell: (metrics) => {
      const histogram = metrics.histogram({ name: "h", help: "H.", buckets: [0.5, 1, 2] })
      for (const value of [0.5, 0.6, 1.5, 3]) histogram.observe(value, { verb: "GET" })
    },
    text:
      "# HELP h H.\n# TYPE h histogram\n" +
      'h_bucket{le="0.5",verb="GET"} 1\nh_bucket{le="1",verb="GET"} 2\nh_bucket{le="2",verb="GET"} 3\nh_bucket{le="+Inf",verb="GET"} 4\n' +
      'h_sum{verb="GET"} 5.6\nh_count{verb="GET"} 4\n',
  },
  "a metric that was never told anything": {
    tell: (metrics) => metrics.counter({ name: "c", help: "C." }),
    text: "# HELP c C.\n# TYPE c counter\n",
  },
}

test.each(Object.entries(rows))("text: %s", (_, { tell, text }) => {
  const metrics = memoryMetrics()
  tell(metrics)
  expect(metrics.text()).toBe(text)
})

describe("memory metrics", () => {
  test("asking twice for a name gives the same metric, with the buckets of the first time", () => {
    const metrics = memoryMetrics()
    metrics.counter({ name: "c", help: "C." }).add()
    metrics.counter({ name: "c", help: "C." }).add()
    metrics.histogram({ name: "h", help: "H.", buckets: [1] }).observe(1)
    metrics.histogram({ name: "h", help: "H." }).observe(2)
    expect([metrics.value("c"), metrics.value("h")]).toEqual([2, 2])
    expect(metrics.text().match(/h_bucket/g)).toHaveLength(2)
  })

  test("value is 0 for what was never told", () => {
    const metrics = memoryMetrics()
    metrics.gauge({ name: "g", help: "G." }).set(3, { a: "1" })
    expect([metrics.value("g", { a: "1" }), metrics.value("g"), metrics.value("none")]).toEqual([3, 0, 0])
  })

  test("labels that change after the call do not change the series", () => {
    const metrics = memoryMetrics()
    const labels = { a: "1" }
    metrics.gauge({ name: "g", help: "G." }).set(3, labels)
    labels.a = "2"
    expect(metrics.text()).toContain('g{a="1"} 3')
  })

  test("a counter of something that is gone is forgotten", () => {
    const metrics = memoryMetrics()
    const counter = metrics.counter({ name: "c", help: "C." })
    counter.add(2, { service: "a" })
    counter.add(1, { service: "b" })
    counter.remove({ service: "a" })
    counter.remove({ service: "never told" })
    expect(metrics.text()).toBe('# HELP c C.\n# TYPE c counter\nc{service="b"} 1\n')
  })

  test("labels that users choose filled the memory: a metric keeps so many series, and counts what it drops", () => {
    const metrics = memoryMetrics({ maxSeries: 3 })
    const counter = metrics.counter({ name: "c", help: "C." })
    const histogram = metrics.histogram({ name: "h", help: "H." })
    for (let number = 0; number < 1000; number++) {
      counter.add(1, { user: String(number) })
      histogram.observe(1, { user: String(number) })
    }
    counter.add(1, { user: "0" })
    expect([metrics.value("c", { user: "0" }), metrics.value("c", { user: "3" })]).toEqual([2, 0])
    expect(metrics.text().match(/^c\{/gm)).toHaveLength(3)
    const droppedOf = (metric: string) => metrics.value("pilothouse_metric_series_dropped_total", { metric })
    expect([droppedOf("c"), droppedOf("h")]).toEqual([997, 997])
    counter.remove({ user: "1" })
    counter.add(5, { user: "next" })
    expect(metrics.value("c", { user: "next" })).toBe(5)
  })

  test("a gauge whose series was dropped does not begin below zero when there is room again", () => {
    const metrics = memoryMetrics({ maxSeries: 1 })
    const gauge = metrics.gauge({ name: "g", help: "G." })
    gauge.add(1, { user: "a" })
    gauge.add(1, { user: "b" })
    gauge.remove({ user: "a" })
    gauge.add(-1, { user: "b" })
    gauge.add(1, { user: "c" })
    expect([metrics.value("g", { user: "b" }), metrics.value("g", { user: "c" })]).toEqual([0, 1])
  })

  const refused: Record<string, { tell: (metrics: MemoryMetrics) => void; message: string }> = {
    "one name for two types": {
      tell: (metrics) => {
        metrics.counter({ name: "x", help: "X." })
        metrics.gauge({ name: "x", help: "X." })
      },
      message: "metric x: expected the counter it was first asked for as, found a gauge",
    },
    "a counter that shrinks": {
      tell: (metrics) => metrics.counter({ name: "x", help: "X." }).add(-1),
      message: "metric x: expected a counter to grow, found -1 to add; use a gauge",
    },
    "a name with a dash": {
      tell: (metrics) => metrics.counter({ name: "x-y", help: "X." }),
      message: "metric x-y: expected a name of letters, digits, _ and :",
    },
    "buckets out of order": {
      tell: (metrics) => metrics.histogram({ name: "x", help: "X.", buckets: [1, 1] }),
      message: "metric x: expected ascending buckets, found 1,1",
    },
  }
  test.each(Object.entries(refused))("refuses %s", (_, { tell, message }) => {
    expect(() => tell(memoryMetrics())).toThrow(expect.objectContaining({ code: "INVALID", message }))
  })
})

test("no metrics take everything", () => {
  noMetrics.counter({ name: "c", help: "C." }).add()
  noMetrics.gauge({ name: "g", help: "G." }).set(1)
  noMetrics.gauge({ name: "g", help: "G." }).add(1)
  noMetrics.gauge({ name: "g", help: "G." }).remove()
  noMetrics.histogram({ name: "h", help: "H." }).observe(1)
})
