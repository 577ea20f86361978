import { describe, expect, test } from "vitest"
import type { PodCondition } from "../generated/core/v1.types.ts"
import { parseTime } from "../text/time.ts"
import { type ConditionLike, findCondition, isConditionFalse, isConditionTrue, removeCondition, setCondition } from "./conditions.ts"
import { deepFreeze } from "./freeze.ts"

const then = "2026-01-01T00:00:00Z"
const now = parseTime("2026-01-02T00:00:00.9Z")
const nowText = "2026-01-02T00:00:00Z"
const ready: PodCondition = { type: "Ready", status: "True", reason: "Up", message: "all is well", lastTransitionTime: then }
const other: PodCondition = { type: "Other", status: "Unknown" }
const conditions: readonly PodCondition[] = deepFreeze([other, ready])

describe("setting a condition", () => {
  test("a new one is appended with the time", () => {
    expect(setCondition<PodCondition>([other], { type: "Ready", status: "True" }, now)).toEqual([
      other,
      { type: "Ready", status: "True", lastTransitionTime: nowText },
    ])
    expect(setCondition<ConditionLike>(undefined, { type: "Ready", status: "True" }, now)).toHaveLength(1)
  })

  test("another status moves the time", () => {
    expect(setCondition(conditions, { type: "Ready", status: "False", reason: "Down" }, now)[1]).toStrictEqual({
      type: "Ready",
      status: "False",
      reason: "Down",
      lastTransitionTime: nowText,
    })
  })

  test("another reason does not", () => {
    expect(setCondition(conditions, { type: "Ready", status: "True", reason: "Again" }, now)[1]).toStrictEqual({
      type: "Ready",
      status: "True",
      reason: "Again",
      lastTransitionTime: then,
    })
  })

  test("the same again gives the same list", () => {
    expect(setCondition(conditions, { type: "Ready", status: "True", reason: "Up", message: "all is well" }, now)).toBe(conditions)
    expect(setCondition(conditions, { ...ready, lastTransitionTime: nowText }, now)).toBe(conditions)
  })

  test("a time that is given is taken when the status moves", () => {
    const given = "2025-01-01T00:00:00Z"
    expect(setCondition(conditions, { type: "Ready", status: "False", lastTransitionTime: given }, now)[1]?.lastTransitionTime).toBe(given)
    expect(setCondition<PodCondition>([], { type: "Ready", status: "False", lastTransitionTime: given }, now)[0]?.lastTransitionTime).toBe(
      given,
    )
  })

  test("fields that the new condition does not speak of stay", () => {
    const probed = [{ ...ready, lastProbeTime: then }]
    expect(setCondition<PodCondition>(probed, { type: "Ready", status: "False" }, now)).toStrictEqual([
      { type: "Ready", status: "False", lastProbeTime: then, lastTransitionTime: nowText },
    ])
  })

  test("a condition that had no time gets none while its status stays", () => {
    expect(setCondition(conditions, { type: "Other", status: "Unknown", reason: "Why" }, now)[0]).toStrictEqual({
      type: "Other",
      status: "Unknown",
      reason: "Why",
    })
  })
})

test("asking and removing", () => {
  expect(findCondition(conditions, "Ready")).toBe(ready)
  expect([isConditionTrue(conditions, "Ready"), isConditionTrue(conditions, "Other"), isConditionTrue(undefined, "Ready")]).toEqual([
    true,
    false,
    false,
  ])
  expect([isConditionFalse(conditions, "Ready"), isConditionFalse([{ type: "A", status: "False" }], "A")]).toEqual([false, true])
  expect(removeCondition(conditions, "Ready")).toEqual([other])
  expect(removeCondition(conditions, "None")).toBe(conditions)
})
