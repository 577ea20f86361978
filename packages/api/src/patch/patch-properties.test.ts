import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { deepFreeze } from "../meta/freeze.ts"
import { applyJsonPatch } from "./json-patch.ts"
import { diffJsonPatch } from "./json-patch-diff.ts"
import { applyMergePatch } from "./merge-patch.ts"
import { diffMergePatch } from "./merge-patch-diff.ts"
import { diffStrategicMerge } from "./strategic/diff.ts"
import { applyStrategicMerge } from "./strategic/merge.ts"
import { threeWayStrategicMerge } from "./strategic/three-way.ts"
import { arbitraryJson, arbitraryOf, arbitraryPatchOf } from "./testing/arbitraries.ts"
import { modelMerge, unordered } from "./testing/model.ts"
import { podSchema } from "./testing/schemas.ts"
import type { JsonObject } from "./values/json-value.ts"

// Frozen: whatever writes to its input throws.
const json = arbitraryJson({ nulls: true }).map(deepFreeze)
const noNulls = arbitraryJson({ nulls: false }).map(deepFreeze)
const withoutMaps = new Set(["extra", "opaque", "affinity"])
const pod = arbitraryOf(podSchema).map((value) => deepFreeze(value as JsonObject))
/** Pods whose every difference a strategic merge patch can say: lists in maps and opaque JSON it cannot. */
const plainPod = pod.map((value) => deepFreeze(withoutFields(value)))
const podPatch = arbitraryPatchOf(podSchema).map((value) => deepFreeze(withoutFields(value as JsonObject)))
const runs = { numRuns: 300 }

function withoutFields(value: JsonObject): JsonObject {
  const spec = value.spec as JsonObject | null | undefined
  if (spec === undefined || spec === null) return value
  return { ...value, spec: Object.fromEntries(Object.entries(spec).filter(([key]) => !withoutMaps.has(key))) }
}

describe("apply(diff(a, b), a) = b", () => {
  test("JSON patch, to the letter of the RFC", () => {
    const property = fc.property(json, json, (a, b) => {
      expect(applyJsonPatch(a, diffJsonPatch(a, b), { strict: true })).toEqual(b)
    })
    fc.assert(property, runs)
  })

  test("merge patch, for documents without nulls", () => {
    const property = fc.property(noNulls, noNulls, (a, b) => {
      expect(applyMergePatch(a, diffMergePatch(a, b))).toEqual(b)
    })
    fc.assert(property, runs)
  })

  test("strategic merge patch, lists in order", () => {
    const property = fc.property(plainPod, plainPod, (a, b) => {
      expect(applyStrategicMerge(a, diffStrategicMerge(a, b, podSchema), podSchema)).toEqual(b)
    })
    fc.assert(property, runs)
  })

  test("no difference is no patch, and returns the very object", () => {
    const property = fc.property(pod, (a) => {
      const copy = JSON.parse(JSON.stringify(a))
      expect([diffJsonPatch(a, copy), diffMergePatch(a, copy), diffStrategicMerge(a, copy, podSchema)]).toEqual([[], {}, {}])
      expect(applyMergePatch(a, copy)).toBe(a)
      expect(applyJsonPatch(a, [{ op: "replace", path: "", value: copy }])).toBe(a)
    })
    fc.assert(property, runs)
  })
})

test("a strategic merge means what its model says", () => {
  const property = fc.property(plainPod, podPatch, (value, patch) => {
    const merged = applyStrategicMerge(value, patch, podSchema)
    expect(unordered(merged, podSchema)).toEqual(unordered(modelMerge(value, patch, podSchema), podSchema))
  })
  fc.assert(property, { numRuns: 1000 })
})

test("an object merged onto itself stays the very object", () => {
  const property = fc.property(plainPod, (value) => {
    expect(applyStrategicMerge(value, value, podSchema)).toBe(value)
  })
  fc.assert(property, runs)
})

describe("three-way merges", () => {
  test("without other writers are two-way merges", () => {
    const property = fc.property(plainPod, plainPod, (a, b) => {
      const patch = threeWayStrategicMerge({ original: a, modified: b, current: a, schema: podSchema, overwrite: false })
      expect(applyStrategicMerge(a, patch, podSchema)).toEqual(b)
    })
    fc.assert(property, runs)
  })

  // On the server is what was applied last and what others added. Where others removed of it, upstream's patch can leave directives in the object.
  test("applied twice are applied once", () => {
    const property = fc.property(plainPod, plainPod, plainPod, (original, modified, others) => {
      const current = applyStrategicMerge(others, original, podSchema)
      const once = applyStrategicMerge(current, merge(original, modified, current), podSchema)
      expect(applyStrategicMerge(once, merge(modified, modified, once), podSchema)).toEqual(once)
    })
    fc.assert(property, runs)
  })
})

function merge(original: JsonObject, modified: JsonObject, current: JsonObject): JsonObject {
  return threeWayStrategicMerge({ original, modified, current, schema: podSchema, overwrite: true })
}
