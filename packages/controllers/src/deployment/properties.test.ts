import fc from "fast-check"
import { expect, test } from "vitest"
import { desiredReplicas, isRecreate, maxReplicas, minAvailable } from "./fenceposts.ts"
import { availableIn, specReplicas, splitReplicaSets } from "./replica-sets.ts"
import { Model } from "./testing/model.ts"

type Action =
  | { readonly do: "look" }
  | { readonly do: "scale"; readonly to: number }
  | { readonly do: "image"; readonly to: number }
  | { readonly do: "limits"; readonly surge: number | string; readonly unavailable: number | string }
  | { readonly do: "pause"; readonly paused: boolean }
  | { readonly do: "recreate" }
  | { readonly do: "sync" | "ready" | "fails"; readonly set: number }

const set = fc.nat(3)
const limit = fc.oneof(fc.nat(3), fc.constantFrom("0%", "10%", "25%", "50%", "100%"))

/** Looks and pods that become ready are what mostly happens; people change their minds less often. */
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Action>({ do: "look" }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("sync" as const), set }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("ready" as const), set }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("fails" as const), set }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("scale" as const), to: fc.nat(8) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("image" as const), to: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("limits" as const), surge: limit, unavailable: limit }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pause" as const), paused: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant<Action>({ do: "recreate" }) },
)

const histories = fc.record({ replicas: fc.nat(8), actions: fc.array(action, { minLength: 10, maxLength: 60, size: "max" }) })

function act(model: Model, one: Action, look: (model: Model) => void = () => void model.look()): void {
  switch (one.do) {
    case "look":
      return look(model)
    case "scale":
      return model.edit({ replicas: one.to })
    case "image":
      return model.edit({}, one.to)
    case "limits":
      return model.edit({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: one.surge, maxUnavailable: one.unavailable } } })
    case "pause":
      return model.edit({ paused: one.paused })
    case "recreate":
      return model.edit({ strategy: { type: "Recreate" } })
    case "sync":
      return model.syncSet(one.set)
    case "ready":
      return model.podReady(one.set)
    case "fails":
      return model.podFails(one.set)
  }
}

function total(model: Model): number {
  return model.standing.reduce((sum, { set }) => sum + specReplicas(set), 0)
}

/** Available pods that stay when every ReplicaSet has come to its size: it lets those go first that are not available. */
function staying(model: Model): number {
  return model.standing.reduce((sum, { set, pods }) => sum + Math.min(specReplicas(set), pods.filter(Boolean).length), 0)
}

/** The same, as far as the ReplicaSets have reported: a pod that became available this very moment cannot be spared. */
function known(model: Model): number {
  return model.standing.reduce((sum, { set }) => sum + availableIn(set), 0)
}

/** What one reconcile guarantees, whatever happened before it. */
function look(model: Model): void {
  const before = {
    total: total(model),
    known: known(model),
    sizes: new Map(model.standing.map(({ set }) => [set.metadata.uid, specReplicas(set)])),
  }
  const { deployment } = model
  model.look()
  const grew = model.standing.some(({ set }) => specReplicas(set) > (before.sizes.get(set.metadata.uid) ?? 0))
  if (grew) expect(total(model)).toBeLessThanOrEqual(maxReplicas(deployment))
  else expect(total(model)).toBeLessThanOrEqual(before.total)
  if (isRecreate(deployment)) return
  expect(staying(model)).toBeGreaterThanOrEqual(Math.min(minAvailable(deployment), before.known))
}

test("never more than replicas + maxSurge, never fewer than replicas - maxUnavailable by its own doing", () => {
  fc.assert(
    fc.property(histories, ({ replicas, actions }) => {
      const model = new Model(replicas)
      for (const one of actions) act(model, one, look)
    }),
    { seed: 20260105, numRuns: 200 },
  )
})

test("whatever happened, it ends with all pods of the present template, and then nothing is written any more", () => {
  fc.assert(
    fc.property(histories, ({ replicas, actions }) => {
      const model = new Model(replicas)
      for (const one of actions) act(model, one)
      model.edit({ paused: false })
      expect(model.comesToRest()).toBe(true)
      const { current, old } = splitReplicaSets(
        model.deployment,
        model.standing.map(({ set }) => set),
      )
      expect(current && specReplicas(current)).toBe(desiredReplicas(model.deployment))
      expect(old.map(specReplicas).filter((size) => size > 0)).toEqual([])
      expect(old.length).toBeLessThanOrEqual(2)
    }),
    { seed: 20260106, numRuns: 60 },
  )
})

test("Recreate never has old and new pods together", () => {
  fc.assert(
    fc.property(histories, ({ replicas, actions }) => {
      const model = new Model(replicas)
      model.edit({ strategy: { type: "Recreate" } })
      for (const one of actions.filter((each) => each.do !== "limits")) {
        act(model, one)
        expect(model.standing.filter(({ pods }) => pods.length > 0).length).toBeLessThanOrEqual(1)
      }
    }),
    { seed: 20260107, numRuns: 60 },
  )
})
