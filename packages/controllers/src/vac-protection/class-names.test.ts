import type { KubeObject } from "@pilothouse/api"
import type { PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import type { Change } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { claim, volume } from "../persistent-volume/testing/objects.ts"
import { claimClasses, releasesClass, volumeClasses } from "./controller.ts"

function naming(wanted?: string, current?: string, target?: string): PersistentVolumeClaim {
  const made = claim("data", { spec: { volumeAttributesClassName: wanted } })
  const modifyVolumeStatus = target === undefined ? undefined : { status: "Pending" as const, targetVolumeAttributesClassName: target }
  return { ...made, status: { ...made.status, currentVolumeAttributesClassName: current, modifyVolumeStatus } }
}

test("a claim names the class it requests, the one it has, and the one it is changing to, each once", () => {
  expect(claimClasses(naming("gold", "silver", "bronze"))).toEqual(["gold", "silver", "bronze"])
  expect(claimClasses(naming("gold", "gold", "gold"))).toEqual(["gold"])
  expect([claimClasses(naming("", "", "")), claimClasses(naming())]).toEqual([[], []])
})

test("a volume names the class it has", () => {
  expect(volumeClasses(volume("v", { spec: { volumeAttributesClassName: "gold" } }))).toEqual(["gold"])
  expect([volumeClasses(volume("v", { spec: { volumeAttributesClassName: "" } })), volumeClasses(volume("v"))]).toEqual([[], []])
})

const updated = (old: KubeObject, object: KubeObject): Change => ({ type: "updated", old, object })

test.each<[name: string, change: Change, expected: boolean]>([
  ["a claim that is gone", { type: "deleted", object: naming("gold"), finalStateUnknown: false }, true],
  ["a claim that requests another class", updated(naming("gold"), naming("silver")), true],
  ["a claim that has come to its new class", updated(naming("gold", "silver"), naming("gold", "gold")), true],
  ["a claim that still has the old one", updated(naming("gold", "gold"), naming("silver", "gold")), false],
  ["a claim that is new", { type: "added", object: naming("gold") }, false],
  ["a claim that is as it was", updated(naming("gold"), naming("gold")), false],
])("whether %s releases a class", (_name, change, expected) => {
  expect(releasesClass(change, claimClasses)).toBe(expected)
})
