import { deployments } from "@pilothouse/api/apps/v1"
import { describe, expect, test } from "vitest"
import type { Reading } from "./samples.ts"
import { now, samples } from "./testing/pods.ts"
import { cpu, longAgo, look, noUse, operations, queue, reasons } from "./testing/reconciles.ts"

describe("a new size", () => {
  test("ScaleUp: event, conditions and time", () => {
    const looked = look({ current: 2, used: [900, 900] })
    expect(looked.size).toBe(4)
    expect(looked.events).toEqual([
      "Normal SuccessfulRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target",
    ])
    expect(looked.status).toMatchObject({ currentReplicas: 2, desiredReplicas: 4, lastScaleTime: "2026-01-05T09:00:00Z" })
    expect(looked.status?.conditions).toEqual([
      {
        type: "AbleToScale",
        status: "True",
        reason: "SucceededRescale",
        message: "the HPA controller was able to update the target scale to 4",
        lastTransitionTime: "2026-01-05T09:00:00Z",
      },
      {
        type: "ScalingActive",
        status: "True",
        reason: "ValidMetricFound",
        message: "the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)",
        lastTransitionTime: "2026-01-05T09:00:00Z",
      },
      {
        type: "ScalingLimited",
        status: "False",
        reason: "DesiredWithinRange",
        message: "the desired count is within the acceptable range",
        lastTransitionTime: "2026-01-05T09:00:00Z",
      },
    ])
  })

  test("ScaleDown: once no recent recommendation was higher", () => {
    const looked = look({ current: 4, used: [200, 200, 200, 200], remembered: longAgo })
    expect(looked.size).toBe(2)
    expect(looked.events).toEqual(["Normal SuccessfulRescale: New size: 2; reason: All metrics below target"])
  })

  test("ScaleDownStabilizeInitialSize: not at the first reconcile of a process", () => {
    const looked = look({ current: 4, used: [200, 200, 200, 200] })
    expect(looked.size).toBeUndefined()
    expect(reasons(looked).AbleToScale).toBe("True/ScaleDownStabilized")
    expect(looked.remembered?.recommendations).toEqual([
      { replicas: 4, at: now },
      { replicas: 2, at: now },
    ])
  })

  test("the scale is written without a resourceVersion, and as the thing it was read from", () => {
    const [, update] = operations(look({ current: 2, used: [900, 900] }).plan)
    expect(update).toMatchObject({
      do: "update",
      of: deployments,
      subresource: "scale",
      object: { metadata: { uid: "d-1" }, spec: { replicas: 4 } },
    })
    expect((update as { object: { metadata: object } }).object.metadata).not.toHaveProperty("resourceVersion")
  })

  test("ConditionFailedUpdateScale", () => {
    const looked = look({ current: 2, used: [900, 900], status: { desiredReplicas: 2 } }, new Error("no"))
    expect(looked.events).toEqual([
      "Warning FailedRescale: New size: 4; reason: cpu resource utilization (percentage of request) above target; error: no",
    ])
    expect(reasons(looked).AbleToScale).toBe("False/FailedUpdateScale")
    expect(looked.status).toMatchObject({ currentReplicas: 2, desiredReplicas: 2 })
    expect(looked.status?.lastScaleTime).toBeUndefined()
    expect(looked.remembered?.added).toEqual([])
  })
})

describe("bounds", () => {
  test("TooManyReplicas: without reading metrics", () => {
    const looked = look({ current: 12, readings: [] })
    expect(looked.size).toBe(10)
    expect(looked.events).toEqual(["Normal SuccessfulRescale: New size: 10; reason: Current number of replicas above Spec.MaxReplicas"])
  })

  test("TooFewReplicas", () => {
    const looked = look({ current: 1, spec: { minReplicas: 3 }, readings: [] })
    expect(looked.size).toBe(3)
    expect(looked.events).toEqual(["Normal SuccessfulRescale: New size: 3; reason: Current number of replicas below Spec.MinReplicas"])
  })

  test("MaxReplicas", () => {
    const looked = look({ current: 6, used: Array.from({ length: 6 }, () => 950) })
    expect([looked.size, reasons(looked).ScalingLimited]).toEqual([10, "True/TooManyReplicas"])
  })

  test("MinReplicas", () => {
    const looked = look({ current: 3, used: [1, 1, 1], spec: { minReplicas: 2 }, remembered: longAgo })
    expect([looked.size, reasons(looked).ScalingLimited]).toEqual([2, "True/TooFewReplicas"])
  })

  test("ZeroReplicas: switched off by hand", () => {
    const looked = look({ current: 0 })
    expect(looked.size).toBeUndefined()
    expect(looked.status).toMatchObject({ desiredReplicas: 0 })
    expect(looked.status).not.toHaveProperty("currentReplicas")
    expect(reasons(looked)).toEqual({ AbleToScale: "True/SucceededGetScale", ScalingActive: "False/ScalingDisabled" })
  })
})

describe("ScaleToZeroBehavior", () => {
  const zero = { minReplicas: 0, metrics: [queue] }
  const wentToZero = { conditions: [{ type: "ScaledToZero", status: "True" }] }

  test("ScaleDownToZeroCMExternal: an empty queue, and it is noted that it was us", () => {
    const looked = look({ current: 2, spec: zero, readings: [{ values: [0] }], remembered: longAgo })
    expect(looked.size).toBe(0)
    expect(reasons(looked).ScaledToZero).toBe("True/ScaledToZero")
  })

  test("ScaleUpFromZeroCMObject: work comes, and brings it back", () => {
    const looked = look({ current: 0, spec: zero, status: wentToZero, readings: [{ values: [35_000] }], remembered: longAgo })
    expect(looked.size).toBe(4)
    expect(reasons(looked).ScaledToZero).toBe("False/NotScaledToZero")
  })

  test("ScaleUpFromZeroOneMetricInvalid", () => {
    const spec = { minReplicas: 0, metrics: [queue, cpu] }
    const looked = look({ current: 0, spec, status: wentToZero, readings: [{ values: [15_000] }, noUse], remembered: longAgo })
    expect(looked.size).toBe(2)
  })

  test("ScaleUpFromZeroWithoutCondition, ManualScaleToZeroDisablesHPA: not where a user did it", () => {
    expect(reasons(look({ current: 0, spec: zero, readings: [{ values: [35_000] }] })).ScalingActive).toBe("False/ScalingDisabled")
  })

  test("ScaleUpFromZeroWhenMinReplicasIncreased", () => {
    const spec = { minReplicas: 3, metrics: [queue] }
    const looked = look({ current: 0, spec, status: wentToZero, readings: [{ values: [0] }], remembered: longAgo })
    expect(looked.size).toBe(3)
    expect(looked.events.join()).toContain("New size: 3; reason: Current number of replicas below Spec.MinReplicas")
  })

  test("ScaledToZeroConditionHandledOnNormalRescale: only where zero was ever possible", () => {
    expect(reasons(look({ current: 2, used: [900, 900] }))).not.toHaveProperty("ScaledToZero")
    expect(reasons(look({ current: 2, used: [900, 900], status: wentToZero })).ScaledToZero).toBe("False/NotScaledToZero")
  })

  test("MinReplicasDesiredZero: one at least where the least is one", () => {
    expect(look({ current: 2, spec: { metrics: [queue] }, readings: [{ values: [0] }], remembered: longAgo }).size).toBe(1)
  })
})

describe("several metrics", () => {
  const both = { metrics: [cpu, queue] }
  const used = (value: number): Reading => ({ pods: samples(value, value, value) })
  const three = { current: 3, used: [0, 0, 0], spec: both, remembered: longAgo }

  test("the highest wins", () => {
    const looked = look({ ...three, readings: [used(600), { values: [20_000] }] })
    expect(looked.size).toBe(6)
    expect(looked.events).toEqual(["Normal SuccessfulRescale: New size: 6; reason: external metric queue(nil) above target"])
  })

  test("ScaleUpOneMetricInvalid, ScaleUpOneMetricEmpty: the other one still counts, and the failure is reported", () => {
    const looked = look({ ...three, readings: [noUse, { values: [20_000] }] })
    expect(looked.size).toBe(6)
    expect(looked.events[0]).toMatch("Warning FailedGetResourceMetric: ")
    expect(reasons(looked).ScalingActive).toBe("True/ValidMetricFound")
    expect(looked.status?.currentMetrics?.map(({ type }) => type)).toEqual(["", "External"])
  })

  test("NoScaleDownOneMetricInvalid, NoScaleDownOneMetricEmpty: but not to take replicas away", () => {
    const looked = look({ ...three, readings: [noUse, { values: [1000] }], status: { desiredReplicas: 3 } })
    expect(looked.size).toBeUndefined()
    expect(reasons(looked).ScalingActive).toBe("False/FailedGetResourceMetric")
    expect(looked.events.at(-1)).toMatch("Warning FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 2), first error is: ")
  })

  test("ScaleUpBothMetricsEmpty: none is known", () => {
    const looked = look({ ...three, readings: [noUse, { failure: "no metrics returned from external metrics API" }] })
    expect(looked.size).toBeUndefined()
    expect(looked.events).toHaveLength(3)
    expect(looked.events.at(-1)).toMatch("(2 invalid out of 2)")
    expect(looked.remembered?.recommendations).toBeUndefined()
  })
})
