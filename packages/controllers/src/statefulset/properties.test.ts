import type { StatefulSet, StatefulSetSpec } from "@pilothouse/api/apps/v1"
import type { KubeOperation } from "@pilothouse/runtime"
import fc from "fast-check"
import { expect, test } from "vitest"
import { desiredReplicas, firstOrdinal, ordinalIn, podOrdinal } from "./ordinals.ts"
import { isAvailable, isTerminating, podRevision } from "./pod-state.ts"
import { Model } from "./testing/model.ts"
import { parallel, withClaims } from "./testing/objects.ts"

type Action =
  | { readonly do: "look" }
  | { readonly do: "tend" | "fail" | "unready"; readonly pod: number }
  | { readonly do: "image" | "scale" | "start" | "partition"; readonly to: number }

const pod = fc.nat(12)

/** Looks and pods that start or stop are what mostly happens; people change their minds less often. */
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Action>({ do: "look" }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("tend" as const), pod }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("fail" as const, "unready" as const), pod }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("image" as const), to: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("scale" as const), to: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("partition" as const, "start" as const), to: fc.nat(3) }) },
)

const histories = fc.record({ replicas: fc.nat(5), actions: fc.array(action, { minLength: 10, maxLength: 80, size: "max" }) })

function act(model: Model, one: Action): readonly KubeOperation[] {
  if (one.do === "look") return model.look()
  if ("pod" in one) model[one.do](one.pod)
  else if (one.do === "image") model.edit({}, one.to)
  else model.edit(specOf(one.do, one.to))
  return []
}

function wanted(set: StatefulSet): readonly number[] {
  return Array.from({ length: desiredReplicas(set) }, (_, index) => firstOrdinal(set) + index)
}

function specOf(what: "scale" | "start" | "partition", to: number): Partial<StatefulSetSpec> {
  if (what === "scale") return { replicas: to }
  if (what === "start") return { ordinals: { start: to } }
  return { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: to } } }
}

test.each([
  { name: "in order", spec: withClaims },
  { name: "in parallel", spec: { ...withClaims, ...parallel } },
])("never two pods of one number, and no claim is lost: $name", ({ spec }) => {
  fc.assert(
    fc.property(histories, ({ replicas, actions }) => {
      const model = new Model(replicas, spec)
      const claims = new Set<string | undefined>()
      for (const one of actions) {
        if (act(model, one).length === 0) continue
        const names = new Set(model.claims.map(({ metadata }) => metadata.name))
        expect(new Set(model.pods.map(podOrdinal)).size).toBe(model.pods.length)
        expect(model.doubled).toEqual([])
        // Each pod has its claim, and what was ever claimed stays: nothing here may delete it.
        expect([...claims].filter((name) => !names.has(name))).toEqual([])
        expect(model.pods.filter(({ metadata }) => !names.has(`data-${metadata.name}`))).toEqual([])
        for (const name of names) claims.add(name)
      }
    }),
    { numRuns: 60 },
  )
})

test("the order is kept: a pod comes when all below it are available, and goes when all that stay are", () => {
  fc.assert(
    fc.property(histories, ({ replicas, actions }) => {
      const model = new Model(replicas, withClaims)
      for (const one of actions) {
        const { set, pods } = model
        const serving = new Set(pods.filter((each) => isAvailable(each, set, 4e12) && !isTerminating(each)).map(podOrdinal))
        const written = act(model, one).filter(({ object }) => object.kind === "Pod")
        if (written.length === 0) continue
        const [made, gone] = ["create", "delete"].map((kind) => written.filter((operation) => operation.do === kind))
        // One at a time.
        expect(made!.length + gone!.length).toBeLessThanOrEqual(1)
        for (const { object } of made!) {
          const below = wanted(set).filter((ordinal) => ordinal < ordinalIn(object.metadata.name ?? "")!)
          expect(below.filter((ordinal) => !serving.has(ordinal))).toEqual([])
        }
        const leaves = gone!.filter(
          ({ object }) => pods.find(({ metadata }) => metadata.name === object.metadata.name)?.status?.phase !== "Failed",
        )
        for (const { object } of leaves) {
          const staying = wanted(set).filter((ordinal) => ordinal !== ordinalIn(object.metadata.name ?? ""))
          expect(staying.filter((ordinal) => !serving.has(ordinal))).toEqual([])
        }
      }
    }),
    { numRuns: 60 },
  )
})

test.each([
  { name: "in order", spec: withClaims },
  { name: "in parallel", spec: { ...withClaims, ...parallel } },
])("whatever happened, it ends with all pods of the present template, and then nothing is written any more: $name", ({ spec }) => {
  fc.assert(
    fc.property(histories, ({ replicas, actions }) => {
      const model = new Model(replicas, spec)
      for (const one of actions) act(model, one)
      model.edit({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } } })
      expect(model.comesToRest()).toBe(true)
      const { set, pods } = model
      expect(pods.map(podOrdinal).sort((a, b) => a - b)).toEqual(wanted(set))
      expect(pods.every((one) => podRevision(one) === set.status?.updateRevision)).toBe(true)
      expect(set.status).toMatchObject({
        replicas: pods.length,
        availableReplicas: pods.length,
        currentRevision: set.status?.updateRevision,
      })
    }),
    { numRuns: 60 },
  )
})
