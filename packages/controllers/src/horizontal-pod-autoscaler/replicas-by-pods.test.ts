import { describe, expect, test } from "vitest"
import { propose } from "./propose.ts"
import type { PodSamples, Reading } from "./samples.ts"
import { now, type PodFacts, podsOf, readiness, samples } from "./testing/pods.ts"

interface Row {
  readonly current: number
  readonly pods: readonly PodFacts[]
  readonly used: PodSamples
  /** In percent of the requests. */
  readonly target?: number
  /** Or as an average of pods, in thousandths. */
  readonly average?: number
  readonly tolerance?: { readonly up: number; readonly down: number }
  readonly container?: string
  /** A count, or the failure. */
  readonly expected: number | string
}

function proposed({ current, pods, used, target, average, tolerance = { up: 0.1, down: 0.1 }, container }: Row) {
  const judged = { ...readiness, namespace: "default", pods: podsOf(...pods), current, running: current, tolerances: tolerance, now }
  const wanted =
    average === undefined ? { type: "Utilization", averageUtilization: target } : { type: "AverageValue", averageValue: `${average}m` }
  const reading: Reading = { pods: used }
  const spec =
    container === undefined
      ? { type: "Resource", resource: { name: "cpu", target: wanted } }
      : { type: "ContainerResource", containerResource: { name: "cpu", container, target: wanted } }
  return propose(spec, reading, judged)
}

const ok: PodFacts = {}
const hot: PodFacts = { started: 30, changed: 5 }
const unready: PodFacts = { ready: false, started: 600, changed: 598 }
const three = [ok, ok, ok]

const utilization: Record<string, Row> = {
  ScaleUp: { current: 3, pods: three, used: samples(400, 600, 800), target: 30, expected: 6 },
  "ContainerScaleUp: only the container counts": {
    current: 2,
    pods: [{ requests: [500, undefined] }, { requests: [500, undefined] }],
    used: samples(500, 500),
    target: 50,
    container: "c0",
    expected: 4,
  },
  "ScaleUpUnreadyLessScale: an unready pod uses nothing": {
    current: 3,
    pods: [unready, ok, ok],
    used: samples(200, 450, 650),
    target: 30,
    expected: 4,
  },
  "ScaleUpHotCpuLessScale: a pod that has just started uses nothing": {
    current: 3,
    pods: [ok, ok, hot],
    used: samples(450, 650, 950),
    target: 30,
    expected: 4,
  },
  ScaleUpUnreadyNoScale: { current: 3, pods: [ok, unready, unready], used: samples(450, 300, 900), target: 30, expected: 3 },
  ScaleHotCpuNoScale: { current: 3, pods: [ok, hot, hot], used: samples(450, 300, 900), target: 30, expected: 3 },
  ScaleUpIgnoresFailedPods: {
    current: 2,
    pods: [ok, ok, { phase: "Failed" }, { phase: "Failed" }],
    used: samples(450, 650),
    target: 30,
    expected: 4,
  },
  ScaleUpIgnoresDeletionPods: {
    current: 2,
    pods: [ok, ok, { deleted: true }, { deleted: true }],
    used: samples(450, 650),
    target: 30,
    expected: 4,
  },
  ScaleDown: { current: 5, pods: [ok, ok, ok, ok, ok], used: samples(150, 200, 400, 250, 300), target: 50, expected: 3 },
  ScaleDownExcludeUnreadyPods: {
    current: 5,
    pods: [ok, ok, ok, unready, unready],
    used: samples(150, 200, 400, 250, 300),
    target: 50,
    expected: 2,
  },
  ScaleDownExcludeUnscheduledPods: {
    current: 5,
    pods: [ok, { phase: "Pending" }, { phase: "Pending" }, { phase: "Pending" }, { phase: "Pending" }],
    used: samples(150),
    target: 50,
    expected: 1,
  },
  ScaleDownIgnoreHotCpuPods: {
    current: 5,
    pods: [ok, ok, ok, hot, hot],
    used: samples(150, 200, 400, 250, 300),
    target: 50,
    expected: 2,
  },
  "ScaleDownIgnoresDeletionPods_StillRunning: those that stop still use": {
    current: 5,
    pods: [ok, ok, ok, ok, ok, { deleted: true }, { deleted: true }],
    used: samples(150, 200, 400, 250, 300, 0, 0),
    target: 50,
    expected: 3,
  },
  Tolerance: { current: 3, pods: three, used: samples(1030, 1040, 1050), target: 100, expected: 3 },
  "ConfigurableTolerance: Outside of a 0% tolerance": {
    current: 3,
    pods: three,
    used: samples(950, 1020, 1090),
    target: 100,
    tolerance: { up: 0, down: 0 },
    expected: 4,
  },
  "ConfigurableTolerance: Within a 200% scale-up tolerance": {
    current: 3,
    pods: three,
    used: samples(1700, 1800, 1900),
    target: 100,
    tolerance: { up: 2, down: 0 },
    expected: 3,
  },
  "ConfigurableTolerance: Outside 8% scale-up tolerance (and superfluous scale-down tolerance)": {
    current: 3,
    pods: three,
    used: samples(1120, 1090, 1090),
    target: 100,
    tolerance: { up: 0.08, down: 0.9 },
    expected: 4,
  },
  "ConfigurableTolerance: Within a 36% scale-down tolerance": {
    current: 3,
    pods: three,
    used: samples(700, 600, 650),
    target: 100,
    tolerance: { up: 0, down: 0.36 },
    expected: 3,
  },
  "ConfigurableTolerance: Outside a 34% scale-down tolerance": {
    current: 3,
    pods: three,
    used: samples(700, 600, 650),
    target: 100,
    tolerance: { up: 0, down: 0.34 },
    expected: 2,
  },
  "SuperfluousMetrics: samples of unknown pods": {
    current: 4,
    pods: [ok, ok, ok, ok],
    used: new Map([...samples(3000, 5000, 2000, 2000), ...[...samples(1500, 700)].map(([name, one]) => [`x${name}`, one] as const)]),
    target: 100,
    expected: 12,
  },
  "DisjointResourcesMetrics: only such samples": {
    current: 1,
    pods: [ok],
    used: new Map([["another", samples(100).get("p0")!]]),
    target: 100,
    expected: "failed to get cpu utilization: no metrics returned matched known pods",
  },
  "MissingMetrics: scale down less, as they may use all they asked for": {
    current: 4,
    pods: [ok, ok, ok, ok],
    used: samples(300, 200),
    target: 100,
    expected: 3,
  },
  EmptyMetrics: {
    current: 4,
    pods: [ok, ok],
    used: new Map(),
    target: 100,
    expected: "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)",
  },
  EmptyCPURequest: {
    current: 1,
    pods: [{ requests: [undefined] }],
    used: samples(120),
    target: 100,
    expected: "failed to get cpu utilization: missing request for cpu in container c0 of Pod p0",
  },
  "no pods at all": {
    current: 1,
    pods: [],
    used: samples(200),
    target: 100,
    expected: "failed to get cpu utilization: no pods returned by selector while calculating replica count",
  },
  MissingMetricsNoChangeEq: { current: 2, pods: [ok, ok], used: samples(1000), target: 100, expected: 2 },
  "MissingMetricsNoChangeGt: with the missing pod at zero it is not above": {
    current: 2,
    pods: [ok, ok],
    used: samples(1800),
    target: 100,
    expected: 2,
  },
  MissingMetricsNoChangeLt: { current: 2, pods: [ok, ok], used: samples(500), target: 100, expected: 2 },
  "MissingMetricsUnreadyChange: unready and missing together": {
    current: 3,
    pods: [unready, ok, ok],
    used: samples(200, 400),
    target: 50,
    expected: 3,
  },
  MissingMetricsHotCpuNoChange: { current: 3, pods: [hot, ok, ok], used: samples(200, 400), target: 50, expected: 3 },
  "MissingMetricsUnreadyScaleUp: the unready and the missing count as zero": {
    current: 3,
    pods: [unready, ok, ok],
    used: samples(150, 1800),
    target: 50,
    expected: 4,
  },
  MissingMetricsHotCpuScaleUp: { current: 3, pods: [hot, ok, ok], used: samples(150, 1800), target: 50, expected: 4 },
  MissingMetricsUnreadyScaleDown: { current: 4, pods: [unready, ok, ok, ok], used: samples(90, 150, 120), target: 50, expected: 3 },
  "scale down: target over 100": {
    current: 3,
    pods: [ok, ok, ok],
    used: samples(2000, 1000),
    target: 200,
    expected: 3,
  },
  "rolling update with maxSurge: extra pod missing metric": {
    current: 2,
    pods: [ok, ok, ok],
    used: samples(1200, 1000),
    target: 50,
    // Twice as much as wanted by the two that are known; with the third at zero 1.46 times, of 3 pods.
    expected: 5,
  },
  "during a rolling update with maxSurge one more pod does not count as growth": {
    current: 3,
    pods: [ok, ok, ok, ok],
    used: samples(700, 700, 700),
    target: 100,
    expected: 3,
  },
  "from so much use that the count overflows": { current: 2, pods: [ok, ok], used: samples(9e15, 9e15), target: 1, expected: 2 ** 31 - 1 },
}

const average: Record<string, Row> = {
  ScaleUpCM: { current: 3, pods: three, used: samples(24_000, 16_000, 20_000), average: 16_000, expected: 4 },
  ScaleDownCM: { current: 5, pods: [ok, ok, ok, ok, ok], used: samples(9000, 9000, 9000, 9000, 9000), average: 18_000, expected: 3 },
  ToleranceCM: { current: 3, pods: three, used: samples(30_000, 31_000, 32_000), average: 30_000, expected: 3 },
  "PlainMetric MissingMetricsNoChangeEq": { current: 2, pods: [ok, ok], used: samples(1000), average: 1000, expected: 2 },
  "a missing pod uses just the target when there seem to be too many": {
    current: 2,
    pods: [ok, ok],
    used: samples(100),
    average: 1000,
    expected: 2,
  },
  "one missing of four": { current: 4, pods: [ok, ok, ok, ok], used: samples(100, 100, 100), average: 1000, expected: 2 },
  EmptyMetrics: {
    current: 2,
    pods: [ok, ok],
    used: new Map(),
    average: 1000,
    expected: "failed to get cpu usage: did not receive metrics for targeted pods (pods might be unready)",
  },
}

describe.each([
  ["a share of the requests", utilization],
  ["an average", average],
])("ReplicaCalcResourceScale: %s", (_, rows) => {
  test.each(Object.entries(rows))("%s", (_, row) => {
    const found = proposed(row)
    if (typeof row.expected === "string") expect(found).toMatchObject({ failure: { message: row.expected } })
    else expect(found).toMatchObject({ replicas: row.expected })
  })
})

test("RollingUpdateWithMaxSurge: the direction never turns, whatever is missing", () => {
  for (const used of [100, 400, 480, 520, 600, 2000]) {
    const found = proposed({ current: 4, pods: [ok, ok, ok, ok, ok], used: samples(used, used, used, used), target: 50, expected: 0 })
    expect("replicas" in found && Math.sign(found.replicas - 4) * Math.sign(used - 500)).toBeGreaterThanOrEqual(0)
  }
})
