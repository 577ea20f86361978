import { expect, test } from "vitest"
import { hasFinalizer, withFinalizer, withoutFinalizer } from "./finalizers.ts"
import { deepFreeze } from "./freeze.ts"

const object = deepFreeze({ metadata: { name: "a", finalizers: ["x", "y"] }, spec: {} })

test("a finalizer is added at the end", () => {
  expect(withFinalizer(object, "z")).toEqual({ metadata: { name: "a", finalizers: ["x", "y", "z"] }, spec: {} })
  expect(withFinalizer({ metadata: {} }, "z")).toEqual({ metadata: { finalizers: ["z"] } })
})

test("a finalizer is removed, and the list with the last one", () => {
  const left = withoutFinalizer(object, "x")
  expect(left.metadata.finalizers).toEqual(["y"])
  expect(withoutFinalizer(left, "y")).toStrictEqual({ metadata: { name: "a" }, spec: {} })
})

test("nothing to do gives the same object", () => {
  expect(withFinalizer(object, "x")).toBe(object)
  expect(withoutFinalizer(object, "z")).toBe(object)
  expect([hasFinalizer(object, "x"), hasFinalizer(object, "z"), hasFinalizer({ metadata: {} }, "x")]).toEqual([true, false, false])
})
