import type { MetricSpec } from "@pilothouse/api/autoscaling/v2"
import { describe, expect, test } from "vitest"
import { propose } from "./propose.ts"
import type { Reading } from "./samples.ts"
import { now, type PodFacts, podsOf, readiness } from "./testing/pods.ts"

interface Row {
  readonly current: number
  readonly pods?: readonly PodFacts[]
  /** In thousandths. */
  readonly found: readonly number[]
  readonly target: number
  readonly tolerance?: { readonly up: number; readonly down: number }
  readonly expected: number
  /** What the status says. */
  readonly usage?: string
}

type Kind = "Object" | "External"
type Target = "Value" | "AverageValue"

function proposed(kind: Kind, type: Target, { current, pods = [{}, {}, {}], found, target, tolerance }: Row) {
  const tolerances = tolerance ?? { up: 0.1, down: 0.1 }
  const judged = { ...readiness, namespace: "default", pods: podsOf(...pods), current, running: current, tolerances, now }
  const wanted = type === "Value" ? { type, value: `${target}m` } : { type, averageValue: `${target}m` }
  const metric = { name: "qps" }
  const describedObject = { kind: "Service", name: "web" }
  const spec: MetricSpec =
    kind === "Object"
      ? { type: kind, object: { describedObject, metric, target: wanted } }
      : { type: kind, external: { metric, target: wanted } }
  return propose(spec, { values: found }, judged)
}

const unready: PodFacts = { ready: false }

const byValue: Record<string, Row> = {
  "ScaleUpCMObject, ScaleUpCMExternal": { current: 3, found: [26_000], target: 20_000, expected: 4, usage: "26" },
  "ScaleUp ignores unready pods": { current: 5, pods: [{}, {}, {}, unready, unready], found: [60_000], target: 20_000, expected: 9 },
  ScaleDown: { current: 5, pods: [{}, {}, {}, {}, {}], found: [9000], target: 15_000, expected: 3 },
  Tolerance: { current: 3, found: [20_900], target: 20_000, expected: 3 },
  ConfigurableTolerance: { current: 3, found: [20_900], target: 20_000, tolerance: { up: 0, down: 0.1 }, expected: 4 },
  ScaleUpFromZero: { current: 0, pods: [], found: [35_000], target: 10_000, expected: 4 },
  ScaleUpFromZeroIgnoresTolerance: { current: 0, pods: [], found: [1000], target: 1000, expected: 1 },
  "from zero with nothing to do": { current: 0, pods: [], found: [0], target: 1000, expected: 0 },
  ScaleDownToZero: { current: 2, pods: [{}, {}], found: [0], target: 1000, expected: 0 },
  "several values are added up": { current: 3, found: [20_000, 10_000], target: 20_000, expected: 5 },
  ScaleUpOverflow: { current: 3, found: [9e18], target: 1, expected: 2 ** 31 - 1 },
  ExternalMetricUsageOverflow: { current: 3, found: [9e18, 9e18], target: 1000, expected: 2 ** 31 - 1, usage: "9223372036854775807m" },
}

const byShare: Record<string, Row> = {
  ScaleUpPerPod: { current: 3, found: [55_000], target: 10_000, expected: 6, usage: "18334m" },
  ScaleDownPerPod: { current: 5, found: [28_000], target: 10_000, expected: 3 },
  TolerancePerPod: { current: 4, found: [41_000], target: 10_000, expected: 4 },
  ConfigurableTolerancePerPod: { current: 4, found: [41_000], target: 10_000, tolerance: { up: 0.01, down: 0.1 }, expected: 5 },
  "from zero": { current: 0, found: [21_000], target: 10_000, expected: 3, usage: "21" },
  "from zero with nothing to do": { current: 0, found: [0], target: 10_000, expected: 0, usage: "0" },
  PerPodMetricReplicaOverflow: { current: 3, found: [9e18], target: 1, expected: 2 ** 31 - 1 },
}

describe.each([
  ["Object", "Value", byValue],
  ["External", "Value", byValue],
  ["Object", "AverageValue", byShare],
  ["External", "AverageValue", byShare],
] as const)("%s with a target of type %s", (kind, type, rows) => {
  test.each(Object.entries(rows))("%s", (_, row) => {
    const found = proposed(kind, type, row)
    expect(found).toMatchObject({ replicas: row.expected })
    if (row.usage !== undefined) expect(JSON.stringify(found)).toContain(`"${row.usage}"`)
  })
})

describe("what failures say", () => {
  const judged = { ...readiness, namespace: "default", pods: podsOf({}), current: 1, running: 1, tolerances: { up: 0.1, down: 0.1 }, now }
  const reading: Reading = { failure: "F" }
  const selector = { matchLabels: { b: "2", a: "1" }, matchExpressions: [{ key: "c", operator: "In", values: ["x", "y"] }] }
  const service = { kind: "Service", name: "web" }
  const metric = { name: "qps" }
  const value = { type: "Value", value: "1" }
  const average = { type: "AverageValue", averageValue: "1" }
  const labels =
    "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:c,Operator:In,Values:[x y],},},}"
  const rows: Record<string, readonly [MetricSpec, string, string, string]> = {
    "a resource": [
      { type: "Resource", resource: { name: "memory", target: { type: "Utilization", averageUtilization: 50 } } },
      "FailedGetResourceMetric",
      "failed to get memory utilization: unable to get metrics for resource memory: F",
      "failed to get memory resource metric value: failed to get memory utilization: unable to get metrics for resource memory: F",
    ],
    "a resource without a target": [
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization" } } },
      "FailedGetResourceMetric",
      "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set",
      "failed to get cpu resource metric value: invalid resource metric source: neither an average utilization target nor an average value (usage) target was set",
    ],
    "a container": [
      { type: "ContainerResource", containerResource: { name: "cpu", container: "web", target: average } },
      "FailedGetContainerResourceMetric",
      "failed to get cpu usage: unable to get metrics for resource cpu: F",
      "failed to get web container metric value: failed to get cpu usage: unable to get metrics for resource cpu: F",
    ],
    pods: [
      { type: "Pods", pods: { metric, target: average } },
      "FailedGetPodsMetric",
      "unable to get metric qps: F",
      "failed to get pods metric value: unable to get metric qps: F",
    ],
    "an object": [
      { type: "Object", object: { describedObject: service, metric, target: value } },
      "FailedGetObjectMetric",
      "unable to get metric qps: Service on default web/F",
      "failed to get object metric value: unable to get metric qps: Service on default web/F",
    ],
    "an object per pod": [
      { type: "Object", object: { describedObject: service, metric, target: average } },
      "FailedGetObjectMetric",
      "unable to get metric qps: Service on default web/F",
      "failed to get object metric value: failed to get qps object metric: unable to get metric qps: Service on default web/F",
    ],
    "something outside": [
      { type: "External", external: { metric: { name: "qps", selector }, target: value } },
      "FailedGetExternalMetric",
      `unable to get external metric default/qps/${labels}: F`,
      `failed to get qps external metric value: failed to get external metric qps: unable to get external metric default/qps/${labels}: F`,
    ],
    "something outside per pod": [
      { type: "External", external: { metric, target: average } },
      "FailedGetExternalMetric",
      "unable to get external metric default/qps/nil: F",
      "failed to get qps external metric value: failed to get qps external metric: unable to get external metric default/qps/nil: F",
    ],
    InvalidSourceType: [
      { type: "Moon" },
      "InvalidMetricSourceType",
      'unknown metric source type "Moon"',
      'unknown metric source type "Moon"',
    ],
  }
  test.each(Object.entries(rows))("%s", (_, [spec, reason, message, error]) => {
    expect(propose(spec, reading, judged)).toEqual({ failure: { reason, message, error } })
  })
})
