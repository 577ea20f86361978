import { bestVolumeFor, hasAccessModes, hasSameVolumeMode } from "@pilothouse/api"
import type { PersistentVolume, PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { claim, volume } from "./testing/objects.ts"

const once = ["ReadWriteOnce"] as const
const many = ["ReadWriteOnce", "ReadOnlyMany"] as const
const all = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"] as const
const east = { metadata: { labels: { zone: "east" } } }

const shelf: readonly PersistentVolume[] = [
  volume("many-8", { size: "8Gi", spec: { accessModes: many } }),
  volume("many-10", { size: "10Gi", spec: { accessModes: many } }),
  volume("all-5", { size: "5Gi", spec: { accessModes: all } }),
  volume("all-1-taken", { size: "1Gi", for: "other#uid", phase: "Bound", spec: { accessModes: all } }),
  volume("once-20-east", { size: "20Gi", spec: { accessModes: once }, ...east }),
  volume("once-30-gold", { size: "30Gi", spec: { accessModes: once, storageClassName: "gold" } }),
  volume("once-40-gold-east", { size: "40Gi", spec: { accessModes: once, storageClassName: "gold" }, ...east }),
  volume("once-50-fast", { size: "50Gi", spec: { accessModes: once, volumeAttributesClassName: "fast" } }),
  volume("once-huge", { size: "7Ei", spec: { accessModes: once, storageClassName: "lead" } }),
]
const zone = (value: string) => ({ selector: { matchLabels: { zone: value } } })

test.each<[string, PersistentVolumeClaim, string | undefined]>([
  ["successful-match-gce-10: the smallest that has the modes", claim("c", { size: "9Gi", spec: { accessModes: many } }), "many-10"],
  ["successful-match-nfs-5", claim("c", { size: "5Gi", spec: { accessModes: ["ReadWriteMany"] } }), "all-5"],
  ["successful-skip-1g-bound-volume", claim("c", { size: "1Gi", spec: { accessModes: all } }), "all-5"],
  ["successful-no-match", claim("c", { size: "999Gi", spec: { accessModes: all } }), undefined],
  ["successful-no-match-due-to-label", claim("c", { spec: { accessModes: once, ...zone("west") } }), undefined],
  ["successful-no-match-due-to-size-constraint-with-label-selector", claim("c", { size: "25Gi", spec: zone("east") }), undefined],
  ["successful-match-due-with-constraint-and-label-selector", claim("c", { size: "15Gi", spec: zone("east") }), "once-20-east"],
  ["successful-match-with-empty-vac", claim("c", { size: "15Gi", spec: { volumeAttributesClassName: "" } }), "once-20-east"],
  ["successful-match-with-vac", claim("c", { spec: { volumeAttributesClassName: "fast" } }), "once-50-fast"],
  ["successful-no-match-vac-nonexisting", claim("c", { spec: { volumeAttributesClassName: "slow" } }), undefined],
  ["successful-match-with-class", claim("c", { class: "gold" }), "once-30-gold"],
  ["successful-match-with-class-and-labels", claim("c", { class: "gold", spec: zone("east") }), "once-40-gold-east"],
  ["successful-match-very-large", claim("c", { size: "5E", class: "lead" }), "once-huge"],
  ["successful-match-exact-extremely-large", claim("c", { size: "7Ei", class: "lead" }), "once-huge"],
  ["a little less than it has", claim("c", { size: "7167Pi", class: "lead" }), "once-huge"],
  ["successful-no-match-way-too-large", claim("c", { size: "7169Pi", class: "lead" }), undefined],
  ["the fewest modes win over the smallest size", claim("c", { size: "6Gi" }), "once-20-east"],
])("MatchVolume: %s", (_name, asked, expected) => {
  expect(bestVolumeFor(asked, shelf, false)?.metadata.name).toBe(expected)
})

test("TestBestMatchDelayed: with delayed binding free volumes are the scheduler's", () => {
  expect(bestVolumeFor(claim("c"), shelf, true)).toBeUndefined()
  const reserved = volume("reserved", { for: "c" })
  expect(bestVolumeFor(claim("c"), [...shelf, reserved], true)).toBe(reserved)
})

test("TestFindingPreboundVolumes: one that is reserved wins, whatever its size; one that does not fit does not", () => {
  const reserved = volume("reserved", { size: "100Gi", for: "c" })
  expect(bestVolumeFor(claim("c"), [...shelf, reserved], false)).toBe(reserved)
  const small = volume("small", { size: "1Mi", for: "c" })
  expect(bestVolumeFor(claim("c"), [small], false)).toBeUndefined()
})

describe("volume modes", () => {
  test.each<[string, "Block" | "Filesystem" | undefined, "Block" | "Filesystem" | undefined, boolean]>([
    ["pvc block and pv filesystem", "Block", "Filesystem", false],
    ["pvc filesystem and pv block", "Filesystem", "Block", false],
    ["pvc block and pv block", "Block", "Block", true],
    ["pvc filesystem and pv filesystem", "Filesystem", "Filesystem", true],
    ["pvc filesystem and pv nil", "Filesystem", undefined, true],
    ["pvc nil and pv filesystem", undefined, "Filesystem", true],
    ["pvc nil and pv nil", undefined, undefined, true],
    ["pvc nil and pv block", undefined, "Block", false],
    ["pvc block and pv nil", "Block", undefined, false],
  ])("%s", (_name, asked, has, expected) => {
    expect(hasSameVolumeMode(volume("v", { spec: { volumeMode: has } }), claim("c", { spec: { volumeMode: asked } }))).toBe(expected)
  })
})

describe("access modes", () => {
  test.each<[string, typeof all | typeof once | typeof many, typeof all | typeof once | typeof many, boolean]>([
    ["success-single-mode", once, once, true],
    ["success-many-modes", many, all, true],
    ["fail-single-mode", many, once, false],
    ["fail-many-modes", all, many, false],
  ])("%s", (_name, asked, has, expected) => {
    expect(hasAccessModes(volume("v", { spec: { accessModes: has } }), claim("c", { spec: { accessModes: asked } }))).toBe(expected)
  })
})

test("the best match is free, big enough, and no other that could be taken has fewer modes or as many and is smaller", () => {
  const modes = fc.constantFrom(once, many, all)
  const any = fc.record({ modes, size: fc.integer({ min: 1, max: 20 }), free: fc.boolean() })
  fc.assert(
    fc.property(fc.array(any, { maxLength: 8 }), modes, fc.integer({ min: 1, max: 20 }), (given, wanted, size) => {
      const volumes = given.map((one, at) =>
        volume(`v${at}`, { size: `${one.size}Gi`, phase: one.free ? "Available" : "Released", spec: { accessModes: one.modes } }),
      )
      const possible = given.filter(
        (one) => one.free && one.size >= size && wanted.every((mode) => (one.modes as readonly string[]).includes(mode)),
      )
      const rank = (one: { modes: readonly string[]; size: number }) => one.modes.length * 100 + one.size
      const best = bestVolumeFor(claim("c", { size: `${size}Gi`, spec: { accessModes: wanted } }), volumes, false)
      const found = best === undefined ? undefined : given[Number(best.metadata.name?.slice(1))]
      expect(found && rank(found)).toBe(possible.length === 0 ? undefined : Math.min(...possible.map(rank)))
    }),
  )
})
