import type { HorizontalPodAutoscalerStatus } from "@pilothouse/api/autoscaling/v2"
import { describe, expect, test } from "vitest"
import { now } from "./testing/pods.ts"
import { look, reasons } from "./testing/reconciles.ts"

describe("what holds it back", () => {
  const behavior = { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] } }

  test("a policy, which counts what was added lately", () => {
    const first = look({ current: 2, used: [900, 900], spec: { behavior } })
    expect([first.size, first.remembered?.added]).toEqual([3, [{ change: 1, at: now }]])
    const second = look({
      current: 3,
      used: [900, 900, 900],
      spec: { behavior },
      remembered: { ...first.remembered, added: [{ change: 1, at: now - 59_000 }] },
    })
    expect([second.size, reasons(second).ScalingLimited]).toEqual([undefined, "True/ScaleUpLimit"])
    const third = look({ current: 3, used: [900, 900, 900], spec: { behavior }, remembered: { added: [{ change: 1, at: now - 60_000 }] } })
    expect(third.size).toBe(4)
  })

  test("StoreScaleEvents: those of up and of down apart, old ones dropped, none without a behaviour", () => {
    const down = look({
      current: 3,
      used: [10, 10, 10],
      spec: { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } },
      remembered: { added: [{ change: 2, at: now - 1_800_000 }], removed: [{ change: 5, at: now - 10_000 }] },
    })
    expect(down.remembered).toMatchObject({ added: [], removed: [{ change: 5 }, { change: 2, at: now }] })
    expect(look({ current: 2, used: [900, 900] }).remembered).toMatchObject({ added: [], removed: [] })
  })

  test("recommendations older than every window are dropped", () => {
    const recommendations = [
      { replicas: 9, at: now - 300_001 },
      { replicas: 2, at: now - 300_000 },
    ]
    expect(look({ current: 2, used: [500, 500], remembered: { recommendations } }).remembered?.recommendations).toEqual([
      { replicas: 2, at: now - 300_000 },
      { replicas: 2, at: now },
    ])
  })

  test("ConfigurableTolerance: Scaling up because of a 1% configurable tolerance", () => {
    const used = [520, 520]
    expect(look({ current: 2, used, spec: { behavior: { scaleUp: { tolerance: "0.01" } } } }).size).toBe(3)
    expect(look({ current: 2, used }).size).toBeUndefined()
  })

  test("ConfigurableTolerance: No scale-down because of a 90% configurable tolerance", () => {
    const scaleDown = { tolerance: "0.9", stabilizationWindowSeconds: 0 }
    expect(look({ current: 2, used: [60, 60], spec: { behavior: { scaleDown } } }).size).toBeUndefined()
  })
})

describe("whose pods they are", () => {
  test("ConditionInvalidSelectorMissing", () => {
    const looked = look({ current: 2, selector: "" })
    expect(looked.events).toEqual([
      "Warning SelectorRequired: selector is required",
      "Warning FailedComputeMetricsReplicas: selector is required",
    ])
    expect(looked.status?.conditions?.[1]).toMatchObject({
      type: "ScalingActive",
      status: "False",
      reason: "InvalidSelector",
      message: "the HPA target's scale is missing a selector",
    })
  })

  test("ConditionInvalidSelectorUnparsable", () => {
    const looked = look({ current: 2, selector: "cheddar cheese" })
    expect(looked.events[0]).toMatch("Warning InvalidSelector: couldn't convert selector into a corresponding internal selector object: ")
    expect(reasons(looked).ScalingActive).toBe("False/InvalidSelector")
  })

  test("ConditionAmbiguousSelectorWhenFullSelectorOverlapBetweenHPAs", () => {
    const looked = look({ current: 2, used: [900, 900], scaledBy: ["default/other", "default/web"] })
    expect(looked.size).toBeUndefined()
    expect(reasons(looked).ScalingActive).toBe("False/AmbiguousSelector")
    expect(looked.events[0]).toBe(
      "Warning AmbiguousSelector: pods by selector app=web are controlled by multiple HPAs: [default/other default/web]",
    )
  })

  test("ConditionFailedGetScale: only the conditions change", () => {
    const status = { currentReplicas: 2, desiredReplicas: 2 }
    const looked = look({ current: 2, failure: "gone", status })
    expect(looked.events).toEqual(["Warning FailedGetScale: gone"])
    expect(looked.status).toMatchObject({ ...status, conditions: [{ type: "AbleToScale", status: "False", reason: "FailedGetScale" }] })
  })
})

describe("the next reconcile", () => {
  test("comes after the period, whatever happened", () => {
    for (const facts of [{ current: 2 }, { current: 0 }, { current: 99 }, { current: 2, failure: "gone" }, { current: 2, selector: "" }])
      expect(look(facts).plan.requeue?.after).toBe(15_000)
  })

  test("AvoidUnnecessaryUpdates: the same again writes nothing", () => {
    const first = look({ current: 2, remembered: {} })
    expect(first.status).toBeDefined()
    expect(look({ current: 2, remembered: {}, status: first.status }).status).toBeUndefined()
  })

  test("a server that keeps zeros and nulls changes nothing in that", () => {
    const first = look({ current: 0, remembered: {} })
    const status = { ...first.status, currentReplicas: 0, currentMetrics: null } as unknown as HorizontalPodAutoscalerStatus
    expect(look({ current: 0, remembered: {}, status }).status).toBeUndefined()
  })

  test("MissingReports: an HPA without metrics is one for the CPU", () => {
    expect(look({ current: 2, used: [900, 900], spec: { metrics: [] } }).size).toBe(3)
  })
})
