import { parseLabelSelector } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { aPod } from "@pilothouse/testing/builders"
import { expect, test } from "vitest"
import { KnownSelectors } from "./target-selector.ts"

function pod(labels: Record<string, string>, namespace = "default"): Pod {
  return aPod("p", { namespace, labels })
}

function known(selectors: Readonly<Record<string, string>>): KnownSelectors {
  const made = new KnownSelectors()
  for (const [key, text] of Object.entries(selectors)) made.learn(key, parseLabelSelector(text))
  return made
}

test("NoAmbiguousSelectorWhenNoSelectorOverlapBetweenHPAs", () => {
  const selectors = known({ "default/a": "app=a", "default/b": "app=b" })
  expect(selectors.scaling([pod({ app: "a" })])).toEqual(["default/a"])
})

test("AmbiguousSelectorWhenFullSelectorOverlapBetweenHPAs", () => {
  const selectors = known({ "default/b": "app=a", "default/a": "app=a" })
  expect(selectors.scaling([pod({ app: "a" })])).toEqual(["default/a", "default/b"])
})

test("AmbiguousSelectorWhenPartialSelectorOverlapBetweenHPAs: one pod is enough, however it is selected", () => {
  const selectors = known({ "default/a": "app=a", "default/b": "tier in (x,y)", "default/c": "tier", "default/d": "app!=a" })
  expect(selectors.scaling([pod({ app: "a" }), pod({ app: "a", tier: "y" })])).toEqual(["default/a", "default/b", "default/c"])
})

test("MultipleHPAs: those of another namespace are not meant", () => {
  const selectors = known({ "default/a": "app=a", "other/a": "app=a" })
  expect(selectors.scaling([pod({ app: "a" }, "other")])).toEqual(["other/a"])
})

test("a replaced or forgotten selector counts no more", () => {
  const selectors = known({ "default/a": "app=a", "default/b": "app=a" })
  selectors.learn("default/b", parseLabelSelector("app=b"))
  expect(selectors.scaling([pod({ app: "a" })])).toEqual(["default/a"])
  selectors.forget("default/a")
  selectors.forget("default/never")
  expect(selectors.scaling([pod({ app: "a" })])).toEqual([])
})
