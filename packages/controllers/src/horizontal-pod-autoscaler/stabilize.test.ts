import { describe, expect, test } from "vitest"
import { resolveBehavior, stabilize, stabilizeWith } from "./normalize.ts"
import { now } from "./testing/pods.ts"

interface Row {
  readonly current: number
  readonly recommended: number
  /** Seconds ago, and how many. */
  readonly recent?: readonly (readonly [number, number])[]
  readonly up?: number
  readonly down?: number
  readonly expected: number
  readonly reason?: string
}

const rows: Record<string, Row> = {
  "empty recommendations for scaling down": { current: 90, recommended: 4, expected: 4 },
  "simple scale down stabilization": {
    current: 90,
    recommended: 4,
    recent: [
      [100, 40],
      [50, 20],
    ],
    down: 120,
    expected: 40,
    reason: "ScaleDownStabilized",
  },
  "simple scale up stabilization": {
    current: 5,
    recommended: 60,
    recent: [
      [100, 30],
      [50, 20],
    ],
    up: 120,
    expected: 20,
    reason: "ScaleUpStabilized",
  },
  "no scale down stabilization": {
    current: 90,
    recommended: 4,
    recent: [
      [100, 40],
      [50, 20],
    ],
    down: 0,
    expected: 4,
  },
  "no scale up stabilization": {
    current: 5,
    recommended: 60,
    recent: [
      [100, 30],
      [50, 20],
    ],
    up: 0,
    expected: 60,
  },
  "scale down stabilization, an obsolete recommendation does not count": {
    current: 90,
    recommended: 4,
    recent: [
      [130, 80],
      [50, 20],
    ],
    down: 120,
    expected: 20,
  },
  "scale up stabilization, an obsolete recommendation does not count": {
    current: 5,
    recommended: 60,
    recent: [
      [130, 1],
      [50, 20],
    ],
    up: 120,
    expected: 20,
  },
  "scale up and down stabilization, do not scale up when prenormalized rec goes down": {
    current: 90,
    recommended: 95,
    recent: [
      [10, 80],
      [5, 120],
    ],
    up: 60,
    down: 60,
    expected: 90,
    reason: "ScaleUpStabilized",
  },
  "scale up and down stabilization, do not scale down when prenormalized rec goes up": {
    current: 90,
    recommended: 85,
    recent: [
      [10, 80],
      [5, 120],
    ],
    up: 60,
    down: 60,
    expected: 90,
    reason: "ScaleDownStabilized",
  },
  "down, the flag's window where the behaviour has none": { current: 90, recommended: 4, recent: [[299, 40]], expected: 40 },
}

describe("with a behaviour (NormalizeDesiredReplicasWithBehavior)", () => {
  test.each(Object.entries(rows))("%s", (_, { current, recommended, recent = [], up, down, expected, reason }) => {
    const window = (stabilizationWindowSeconds: number | undefined) =>
      stabilizationWindowSeconds === undefined ? {} : { stabilizationWindowSeconds }
    const spec = { scaleTargetRef: { kind: "", name: "" }, maxReplicas: 500, behavior: { scaleUp: window(up), scaleDown: window(down) } }
    const behavior = resolveBehavior({ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: {}, spec }, 300_000)
    const past = recent.map(([ago, replicas]) => ({ replicas, at: now - ago * 1000 }))
    const found = stabilizeWith(behavior!, { recommended, current, now }, past)
    expect(found).toMatchObject({ replicas: expected, ...(reason && { reason }) })
  })
})

describe("without one", () => {
  const recent = [
    { replicas: 9, at: now - 301_000 },
    { replicas: 7, at: now - 300_000 },
    { replicas: 3, at: now - 1000 },
  ]
  test("StabilizeDownscale: the highest of the window", () => {
    expect(stabilize(2, recent, 300_000, now)).toMatchObject({ replicas: 7, reason: "ScaleDownStabilized" })
  })
  test("up at once", () => {
    expect(stabilize(12, recent, 300_000, now).replicas).toBe(12)
  })
})
