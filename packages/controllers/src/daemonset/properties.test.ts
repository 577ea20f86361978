import { isPodActive, isPodAvailable } from "@pilothouse/api"
import fc from "fast-check"
import { expect, test } from "vitest"
import { hashLabel, targetNode } from "./daemon-pod.ts"
import { rolloutLimits } from "./rolling-update.ts"
import { Model } from "./testing/model.ts"
import { hashOf, rolling, surging } from "./testing/objects.ts"

type Action =
  | { readonly do: "look" }
  | { readonly do: "tend" | "fail"; readonly pod: number }
  | { readonly do: "image"; readonly to: number }
  | { readonly do: "limits"; readonly surge: boolean; readonly limit: number | string }
  | { readonly do: "taint"; readonly node: number; readonly effect?: "NoSchedule" | "NoExecute" }
  | { readonly do: "wait"; readonly seconds: number }

const limit = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constantFrom("10%", "50%", "100%"))
const pod = fc.nat(20)

/** Looks and pods that start or stop are what mostly happens; people change their minds less often. */
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Action>({ do: "look" }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("tend" as const), pod }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("fail" as const), pod }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("image" as const), to: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("limits" as const), surge: fc.boolean(), limit }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("taint" as const),
      node: fc.nat(9),
      effect: fc.constantFrom("NoSchedule" as const, "NoExecute" as const, undefined),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("wait" as const), seconds: fc.nat(100) }) },
)

const histories = fc.record({ count: fc.nat(6), actions: fc.array(action, { minLength: 10, maxLength: 80, size: "max" }) })

function act(model: Model, one: Action): void {
  switch (one.do) {
    case "look":
      return void model.look()
    case "tend":
      return model.tend(one.pod)
    case "fail":
      return model.fail(one.pod)
    case "image":
      return model.edit({}, one.to)
    case "limits":
      return model.edit({ updateStrategy: one.surge ? surging(one.limit) : rolling({ maxUnavailable: one.limit, maxSurge: 0 }) })
    case "taint":
      return model.nodes.length === 0 ? undefined : model.taint(one.node, one.effect)
    case "wait":
      return model.wait(one.seconds * 1000)
  }
}

/** Live pods of the fullest node. */
function crowd(model: Model): number {
  const counts = Map.groupBy(model.pods.filter(isPodActive), (one) => targetNode(one))
  return Math.max(0, ...[...counts.values()].map((pods) => pods.length))
}

function available(model: Model): number {
  return model.pods.filter((one) => isPodActive(one) && isPodAvailable(one, 0, 0)).length
}

test("never two live pods on a node, and with surge never three", () => {
  fc.assert(
    fc.property(histories, ({ count, actions }) => {
      const model = new Model(count)
      let surge = 1
      for (const one of actions) {
        if (one.do === "limits") surge = 2
        act(model, one)
        expect(crowd(model)).toBeLessThanOrEqual(surge)
      }
    }),
    { numRuns: 60 },
  )
})

test("a rollout without surge never takes more pods away than may be missing", () => {
  fc.assert(
    fc.property(histories, ({ count, actions }) => {
      const model = new Model(count)
      for (const one of actions.filter((each) => each.do !== "limits" && each.do !== "taint")) {
        const before = available(model)
        act(model, one)
        if (one.do !== "look") continue
        const floor = count - rolloutLimits(model.owner, count).maxUnavailable
        expect(available(model)).toBeGreaterThanOrEqual(Math.min(before, floor))
      }
    }),
    { numRuns: 60 },
  )
})

test("whatever happened, every eligible node ends with one pod of the present template, and then nothing is written any more", () => {
  fc.assert(
    fc.property(histories, ({ count, actions }) => {
      const model = new Model(count)
      for (const one of actions) act(model, one)
      expect(model.comesToRest()).toBe(true)
      const eligible = model.nodes.filter(({ spec }) => spec?.taints === undefined).map(({ metadata }) => metadata.name)
      const placed = model.pods.map((one) => targetNode(one))
      expect(placed).toEqual(expect.arrayContaining(eligible))
      expect(new Set(placed).size).toBe(placed.length)
      const current = model.pods.filter((one) => eligible.includes(targetNode(one)))
      expect(current.every(({ metadata }) => metadata.labels?.[hashLabel] === hashOf(model.owner))).toBe(true)
      expect(
        model.revisions.filter(({ revision }) => revision === Math.max(...model.revisions.map((one) => Number(one.revision)))),
      ).toHaveLength(1)
    }),
    { numRuns: 60 },
  )
})
