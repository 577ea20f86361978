import { deployments } from "@pilothouse/api/apps/v1"
import type { HorizontalPodAutoscaler, HPAScalingRules } from "@pilothouse/api/autoscaling/v2"
import { seededRandom } from "@pilothouse/seams"
import fc from "fast-check"
import { expect, test } from "vitest"
import { decide, settle } from "./decide.ts"
import type { Observed } from "./observe.ts"
import type { ScalingHistory } from "./recommendation-history.ts"
import { now as start } from "./testing/pods.ts"

const options = {
  syncPeriod: 15_000,
  downscaleStabilization: 300_000,
  tolerance: 0.1,
  cpuInitializationPeriod: 0,
  initialReadinessDelay: 0,
}

const policy = fc.record({
  type: fc.constantFrom("Pods", "Percent"),
  value: fc.integer({ min: 1, max: 100 }),
  periodSeconds: fc.constantFrom(15, 60, 180),
})
const rules: fc.Arbitrary<HPAScalingRules> = fc.record(
  {
    policies: fc.array(policy, { minLength: 1, maxLength: 3 }),
    selectPolicy: fc.constantFrom("Max", "Min"),
    stabilizationWindowSeconds: fc.constantFrom(0, 30, 120, 300),
  },
  { requiredKeys: [] },
)
const behavior = fc.option(fc.record({ scaleUp: rules, scaleDown: rules }, { requiredKeys: [] }), { nil: undefined })
const scalers = fc.record({ behavior, minReplicas: fc.integer({ min: 1, max: 4 }), maxReplicas: fc.integer({ min: 4, max: 20 }) })
const story = fc.record({
  spec: scalers,
  first: fc.integer({ min: 1, max: 30 }),
  loads: fc.array(fc.nat(30), { minLength: 5, maxLength: 25 }),
})

/** A target, and work for so many pods in a queue; every reconcile is 15 s later. */
class Model {
  readonly sizes: number[]
  #remembered: ScalingHistory | undefined
  #now = start
  readonly #hpa: HorizontalPodAutoscaler

  constructor(spec: Omit<HorizontalPodAutoscaler["spec"], "scaleTargetRef">, first: number) {
    const external = { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "1" } }
    const scaleTargetRef = { kind: "Deployment", name: "web" }
    const metrics = [{ type: "External", external }]
    const metadata = { name: "web", namespace: "default" }
    this.#hpa = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata, spec: { scaleTargetRef, metrics, ...spec } }
    this.sizes = [first]
  }

  get size(): number {
    return this.sizes.at(-1)!
  }

  look(load: number): void {
    const { size } = this
    const scale = {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: {},
      spec: { replicas: size },
      status: { replicas: size, selector: "app=web" },
    } as const
    const observed: Observed = {
      key: "default/web",
      hpa: this.#hpa,
      target: { of: deployments, scale },
      pods: [],
      scaledBy: ["default/web"],
      readings: [{ values: [load * 1000] }],
      ...(this.#remembered && { history: this.#remembered }),
    }
    const context = { now: this.#now, random: seededRandom(1) }
    const planned = decide(observed, context, options).steps.flatMap((step) => step.operations)
    const results = planned.map((operation) => ({ operation, ok: true as const }))
    const settled = settle(observed, results, context, options).steps.flatMap((step) => step.operations)
    for (const operation of [...planned, ...settled]) {
      if (operation.do === "remember-scaling") this.#remembered = (operation as unknown as { history: ScalingHistory }).history
      if (operation.do === "update") this.sizes.push((operation.object as unknown as { spec: { replicas: number } }).spec.replicas)
    }
    this.#now += options.syncPeriod
  }
}

test("whatever the load does, the size stays within its bounds once it was there", () => {
  fc.assert(
    fc.property(story, ({ spec, first, loads }) => {
      const model = new Model(spec, first)
      for (const load of loads) model.look(load)
      const { minReplicas, maxReplicas } = spec
      for (const size of model.sizes.slice(1)) expect(size >= minReplicas && size <= maxReplicas).toBe(true)
    }),
  )
})

test("a load that stays the same ends at its own size, and stays there", () => {
  fc.assert(
    fc.property(story, fc.nat(30), ({ spec, first, loads }, last) => {
      const model = new Model(spec, first)
      for (const load of loads) model.look(load)
      // The slowest: one pod in three minutes, from 20 to 1, after five minutes of waiting.
      for (let looks = 0; looks < 300; looks++) model.look(last)
      const before = model.sizes.length
      for (let looks = 0; looks < 30; looks++) model.look(last)
      expect(model.sizes).toHaveLength(before)
      const wanted = Math.min(Math.max(last, spec.minReplicas), spec.maxReplicas)
      // A tenth more or less is let be.
      expect(Math.abs(model.size - wanted)).toBeLessThanOrEqual(0.1 * model.size)
    }),
    { numRuns: 40 },
  )
})
