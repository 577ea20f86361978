import type { HPAScalingRules } from "@pilothouse/api/autoscaling/v2"
import { describe, expect, test } from "vitest"
import { limit, limitWith, resolveBehavior } from "./normalize.ts"
import type { ScalingHistory } from "./recommendation-history.ts"
import { now } from "./testing/pods.ts"

interface Row {
  readonly up?: HPAScalingRules
  readonly down?: HPAScalingRules
  readonly min?: number
  readonly max?: number
  readonly current: number
  readonly desired: number
  /** Seconds ago, and how many. */
  readonly added?: readonly (readonly [number, number])[]
  readonly removed?: readonly (readonly [number, number])[]
  readonly expected: number
  readonly reason: string
}

const pods = (value: number, periodSeconds = 60) => ({ type: "Pods", value, periodSeconds })
const percent = (value: number, periodSeconds = 60) => ({ type: "Percent", value, periodSeconds })
const rules = (...policies: NonNullable<HPAScalingRules["policies"]>) => ({ policies })
const selectMin = (...policies: NonNullable<HPAScalingRules["policies"]>) => ({ policies, selectPolicy: "Min" })

const rows: Record<string, Row> = {
  "scaleUp with default behavior": { current: 3, desired: 40, max: 50, expected: 7, reason: "ScaleUpLimit" },
  "scaleUp with pods policy larger than percent policy": {
    up: rules(pods(90), percent(100)),
    current: 20,
    desired: 400,
    max: 500,
    expected: 110,
    reason: "ScaleUpLimit",
  },
  "scaleUp with percent policy larger than pods policy": {
    up: rules(pods(2), percent(150)),
    current: 20,
    desired: 400,
    max: 500,
    expected: 50,
    reason: "ScaleUpLimit",
  },
  "scaleUp with the lesser of two policies": {
    up: selectMin(pods(2), percent(150)),
    current: 20,
    desired: 400,
    max: 500,
    expected: 22,
    reason: "ScaleUpLimit",
  },
  "scaleUp with spec MaxReplicas limitation with large pod policy": {
    up: rules(pods(900)),
    current: 20,
    desired: 400,
    max: 80,
    expected: 80,
    reason: "TooManyReplicas",
  },
  "scaleUp with spec MaxReplicas limitation with large percent policy": {
    up: rules(percent(9000)),
    current: 20,
    desired: 400,
    max: 80,
    expected: 80,
    reason: "TooManyReplicas",
  },
  "scaleUp with pod policy limitation": { up: rules(pods(25)), current: 20, desired: 400, max: 500, expected: 45, reason: "ScaleUpLimit" },
  "scaleUp with percent policy limitation": {
    up: rules(percent(25)),
    current: 21,
    desired: 400,
    max: 500,
    expected: 27,
    reason: "ScaleUpLimit",
  },
  "scaleUp disabled": { up: { selectPolicy: "Disabled" }, current: 20, desired: 400, max: 500, expected: 20, reason: "ScaleUpLimit" },
  "scaleDown with percent policy larger than pod policy": {
    down: rules(pods(15), percent(80)),
    current: 100,
    desired: 2,
    // 1 - 0.8 is a little less than 0.2, here as upstream.
    expected: 19,
    reason: "ScaleDownLimit",
  },
  "scaleDown with pod policy larger than percent policy": {
    down: rules(pods(85), percent(40)),
    current: 100,
    desired: 2,
    expected: 15,
    reason: "ScaleDownLimit",
  },
  "scaleDown with the lesser of two policies": {
    down: selectMin(pods(85), percent(40)),
    current: 100,
    desired: 2,
    expected: 60,
    reason: "ScaleDownLimit",
  },
  "scaleDown with spec MinReplicas=nil limitation with large pod policy": {
    down: rules(pods(150)),
    current: 8,
    desired: 0,
    expected: 1,
    reason: "TooFewReplicas",
  },
  "scaleDown with spec MinReplicas limitation with large pod policy": {
    down: rules(pods(150)),
    current: 8,
    desired: 0,
    min: 2,
    expected: 2,
    reason: "TooFewReplicas",
  },
  "scaleDown with spec MinReplicas limitation with large percent policy": {
    down: rules(percent(100)),
    current: 8,
    desired: 0,
    min: 4,
    expected: 4,
    reason: "TooFewReplicas",
  },
  "scaleDown with pod policy limitation": { down: rules(pods(3)), current: 8, desired: 1, expected: 5, reason: "ScaleDownLimit" },
  "scaleDown with percent policy limitation": { down: rules(percent(30)), current: 9, desired: 1, expected: 6, reason: "ScaleDownLimit" },
  "scaleDown disabled": { down: { selectPolicy: "Disabled" }, current: 8, desired: 1, expected: 8, reason: "ScaleDownLimit" },
  "scaleUp with spec MaxReplicas limitation with large pod policy and events": {
    up: rules(pods(300)),
    current: 90,
    desired: 400,
    max: 180,
    added: [[10, 15]],
    expected: 180,
    reason: "TooManyReplicas",
  },
  "scaleUp with spec MaxReplicas limitation with large percent policy and events": {
    up: rules(percent(8000)),
    current: 90,
    desired: 400,
    max: 180,
    added: [[10, 15]],
    expected: 180,
    reason: "TooManyReplicas",
  },
  "scaleUp with currentReplicas limitation with rate.PeriodSeconds with a lot of recent scale up events": {
    up: rules(pods(4)),
    current: 90,
    desired: 400,
    max: 900,
    added: [[10, 30]],
    expected: 90,
    reason: "ScaleUpLimit",
  },
  "scaleUp with pod policy and previous scale up events": {
    up: rules(pods(120)),
    current: 90,
    desired: 400,
    max: 900,
    added: [
      [10, 4],
      [59, 3],
      [60, 50],
    ],
    expected: 203,
    reason: "ScaleUpLimit",
  },
  "scaleUp with percent policy and previous scale up events": {
    up: rules(percent(150)),
    current: 11,
    desired: 400,
    max: 900,
    added: [[20, 3]],
    expected: 20,
    reason: "ScaleUpLimit",
  },
  "scaleUp with percent policy and previous scale up and down events": {
    up: rules(percent(150)),
    current: 8,
    desired: 400,
    max: 900,
    added: [[20, 5]],
    removed: [[20, 1]],
    expected: 10,
    reason: "ScaleUpLimit",
  },
  "scaleDown with default policy and previous events": {
    current: 6,
    desired: 1,
    min: 1,
    removed: [[10, 3]],
    expected: 1,
    reason: "DesiredWithinRange",
  },
  "scaleDown with spec MinReplicas=nil limitation with large pod policy and previous events": {
    down: rules(pods(150)),
    current: 8,
    desired: 0,
    removed: [[10, 9]],
    expected: 1,
    reason: "TooFewReplicas",
  },
  "scaleDown with spec MinReplicas limitation with large pod policy and previous events": {
    down: rules(pods(150)),
    current: 8,
    desired: 0,
    min: 3,
    removed: [[10, 9]],
    expected: 3,
    reason: "TooFewReplicas",
  },
  "scaleDown with spec MinReplicas limitation with large percent policy and previous events": {
    down: rules(percent(100)),
    current: 8,
    desired: 0,
    min: 4,
    removed: [[10, 9]],
    expected: 4,
    reason: "TooFewReplicas",
  },
  "scaleDown with pod policy limitation and previous events": {
    down: rules(pods(6)),
    current: 9,
    desired: 1,
    removed: [[10, 2]],
    expected: 5,
    reason: "ScaleDownLimit",
  },
  "scaleDown with percent policy limitation and previous events": {
    down: rules(percent(40)),
    current: 9,
    desired: 1,
    removed: [[10, 6]],
    expected: 9,
    reason: "ScaleDownLimit",
  },
  "scaleDown with percent policy and previous scale up and down events": {
    down: rules(percent(40)),
    current: 9,
    desired: 1,
    added: [[5, 2]],
    removed: [[10, 3]],
    expected: 6,
    reason: "ScaleDownLimit",
  },
  "scaleDown with previous events preventing further scale down": {
    down: rules(percent(10)),
    current: 90,
    desired: 1,
    removed: [[30, 20]],
    expected: 90,
    reason: "ScaleDownLimit",
  },
  "scaleDown with previous events still allowing more scale down": {
    down: rules(pods(30)),
    current: 90,
    desired: 1,
    removed: [[30, 20]],
    expected: 80,
    reason: "ScaleDownLimit",
  },
  "events of policies with different periods": {
    up: rules(pods(10, 15), pods(12, 120)),
    current: 20,
    desired: 90,
    max: 100,
    added: [[60, 10]],
    expected: 30,
    reason: "ScaleUpLimit",
  },
  "within all limits": { up: rules(pods(10)), current: 20, desired: 25, max: 100, expected: 25, reason: "DesiredWithinRange" },
  "as many as there are": { current: 20, desired: 20, max: 100, expected: 20, reason: "DesiredWithinRange" },
}

describe("with a behaviour (ScalingWithRules)", () => {
  test.each(Object.entries(rows))(
    "%s",
    (_, { up, down, min = 1, max = 1000, current, desired, added = [], removed = [], expected, reason }) => {
      const spec = { scaleTargetRef: { kind: "", name: "" }, maxReplicas: max, behavior: { scaleUp: up, scaleDown: down } }
      const behavior = resolveBehavior({ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: {}, spec }, 300_000)
      const at = (past: NonNullable<Row["added"]>) => past.map(([ago, change]) => ({ change, at: now - ago * 1000 }))
      const past: ScalingHistory = { recommendations: [], added: at(added), removed: at(removed) }
      expect(limitWith(behavior!, { current, desired, min, max }, past, now)).toMatchObject({ replicas: expected, reason })
    },
  )
})

describe("without one (ReplicaLimits)", () => {
  test.each([
    ["prenormalized desired replicas within range", { current: 4, desired: 7, min: 1, max: 20 }, 7, "DesiredWithinRange"],
    ["prenormalized desired replicas < minReplicas", { current: 4, desired: 0, min: 2, max: 20 }, 2, "TooFewReplicas"],
    [
      "prenormalized desired replicas within range when minReplicas is 0",
      { current: 4, desired: 0, min: 0, max: 20 },
      0,
      "DesiredWithinRange",
    ],
    ["maxReplicas is the limit because maxReplicas < scaleUpLimit", { current: 12, desired: 900, min: 1, max: 20 }, 20, "TooManyReplicas"],
    ["UpscaleCap: twice as many at once", { current: 6, desired: 90, min: 1, max: 100 }, 12, "ScaleUpLimit"],
    ["UpscaleCap: four at least", { current: 1, desired: 90, min: 1, max: 100 }, 4, "ScaleUpLimit"],
    ["UpscaleCapGreaterThanMaxReplicas", { current: 6, desired: 90, min: 1, max: 11 }, 11, "TooManyReplicas"],
  ])("%s", (_, bounds, replicas, reason) => {
    expect(limit(bounds)).toMatchObject({ replicas, reason })
  })
})
