import { deployments } from "@pilothouse/api/apps/v1"
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
  MetricSpec,
} from "@pilothouse/api/autoscaling/v2"
import type { Operation, Plan, Result } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import type { Remembered } from "./memory.ts"
import type { Observed } from "./observe.ts"
import type { Reading } from "./samples.ts"
import { settle } from "./settle.ts"
import { now, podsOf, samples } from "./test-pods.ts"
import type { AutoscalerOptions } from "./verdict.ts"

const options: AutoscalerOptions = {
  syncPeriod: 15_000,
  downscaleStabilization: 300_000,
  tolerance: 0.1,
  cpuInitializationPeriod: 120_000,
  initialReadinessDelay: 10_000,
}
const context = { now, random: seededRandom(1) }

const cpu: MetricSpec = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }
const queue: MetricSpec = { type: "External", external: { metric: { name: "queue" }, target: { type: "Value", value: "10" } } }
const noUse = { failure: "no metrics returned from resource metrics API" }

interface Facts {
  readonly current: number
  readonly spec?: Partial<HorizontalPodAutoscalerSpec>
  readonly status?: Partial<HorizontalPodAutoscalerStatus>
  /** CPU of each of its pods, in thousandths of the one that it requests. */
  readonly used?: readonly number[]
  readonly readings?: readonly Reading[]
  readonly selector?: string
  readonly scaledBy?: readonly string[]
  readonly remembered?: Partial<Remembered>
  readonly failure?: string
}

function observed(facts: Facts): Observed {
  const {
    current,
    spec,
    status,
    used = Array.from({ length: current }, () => 500),
    selector = "app=web",
    scaledBy = ["default/web"],
  } = facts
  const hpa: HorizontalPodAutoscaler = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "default", uid: "h-1", resourceVersion: "5" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [cpu],
      ...spec,
    },
    status: { desiredReplicas: 0, ...status },
  }
  const metadata = { name: "web", namespace: "default", uid: "d-1", resourceVersion: "77" }
  const scaleStatus = { replicas: current, ...(selector !== "" && { selector }) }
  const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata, spec: { replicas: current }, status: scaleStatus } as const
  const remembered = facts.remembered && { recommendations: [], added: [], removed: [], ...facts.remembered }
  return {
    key: "default/web",
    hpa,
    target: facts.failure === undefined ? { of: deployments, scale } : { failure: facts.failure },
    pods: podsOf(...used.map(() => ({}))),
    scaledBy,
    readings: facts.readings ?? [{ pods: samples(...used) }],
    ...(remembered && { remembered }),
  }
}

function operations(plan: Plan): readonly Operation[] {
  return plan.steps.flatMap((step) => step.operations)
}

interface Looked {
  /** The new size, where there is one. */
  readonly size?: number
  readonly status?: HorizontalPodAutoscalerStatus
  readonly events: readonly string[]
  readonly remembered?: Remembered
  readonly plan: Plan
}

/** One look with everything that comes of it; `error` is what the write of the scale fails with. */
function look(facts: Facts, error?: unknown): Looked {
  const seen = observed(facts)
  const first = decide(seen, context, options)
  const results = operations(first).map(
    (operation): Result => (operation.do === "update" && error !== undefined ? { operation, ok: false, error } : { operation, ok: true }),
  )
  const second = settle(seen, results, context, options)
  const all = [...operations(first), ...operations(second)]
  const scale = all.find((operation) => operation.do === "update")
  const status = all.find((operation) => operation.do === "status")
  const memory = all.findLast((operation) => operation.do === "remember-scaling") as { readonly remembered?: Remembered } | undefined
  return {
    plan: first,
    size: scale?.do === "update" ? (scale.object as { spec?: { replicas?: number } }).spec?.replicas : undefined,
    status: status?.do === "status" ? (status.status as HorizontalPodAutoscalerStatus) : undefined,
    events: [...first.events, ...second.events].map(({ type, reason, message }) => `${type} ${reason}: ${message}`),
    remembered: memory?.remembered,
  }
}

function reasons({ status }: Looked): Readonly<Record<string, string>> {
  return Object.fromEntries((status?.conditions ?? []).map(({ type, status: holds, reason }) => [type, `${holds}/${reason}`]))
}

const longAgo = { recommendations: [{ replicas: 1, at: now - 600_000 }] }

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

  test("ScaleDownStabilizeInitialSize: not at the first look of a process", () => {
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
  test("TooManyReplicas: without a look at metrics", () => {
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

  test("ScaleUpFromZeroWithoutCondition, ManualScaleToZeroDisablesHPA: not where somebody else did it", () => {
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

  test("ScaleUpOneMetricInvalid, ScaleUpOneMetricEmpty: the other one still counts, and the failure is told", () => {
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

  test("StoreScaleEvents: those of up and of down apart, old ones let go, none without a behaviour", () => {
    const down = look({
      current: 3,
      used: [10, 10, 10],
      spec: { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } },
      remembered: { added: [{ change: 2, at: now - 1_800_000 }], removed: [{ change: 5, at: now - 10_000 }] },
    })
    expect(down.remembered).toMatchObject({ added: [], removed: [{ change: 5 }, { change: 2, at: now }] })
    expect(look({ current: 2, used: [900, 900] }).remembered).toMatchObject({ added: [], removed: [] })
  })

  test("recommendations older than every window are let go", () => {
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

describe("the next look", () => {
  test("comes after the period, whatever happened", () => {
    for (const facts of [{ current: 2 }, { current: 0 }, { current: 99 }, { current: 2, failure: "gone" }, { current: 2, selector: "" }])
      expect(look(facts).plan.again?.after).toBe(15_000)
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
