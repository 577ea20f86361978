import type { PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import type { StorageClass } from "@pilothouse/api/storage/v1"
import { describe, expect, test } from "vitest"
import { bound, boundByPerson, check, noneFits, type Row, waiting } from "./testing/claim-rows.ts"
import { World } from "./testing/model.ts"
import { claim, isDefault, podWith, storageClass, volume } from "./testing/objects.ts"

describe("classes", () => {
  const inClass = (name: string, of: string, size = "1Gi") => volume(name, { size, spec: { storageClassName: of } })
  test.each<[string, Row]>([
    [
      "13-1 - binding to class",
      {
        volumes: [volume("plain"), inClass("v", "gold", "10Gi")],
        claim: claim("data", { class: "gold" }),
        becomes: { volumes: ["plain Available", "v Bound data#uid-data byUs"], claim: "data Bound v 10Gi completed byUs" },
      },
    ],
    [
      "13-2 - binding without a class",
      {
        volumes: [inClass("gold", "gold"), volume("v", { size: "10Gi" })],
        claim: claim("data"),
        becomes: { volumes: ["gold Available", "v Bound data#uid-data byUs"], claim: "data Bound v 10Gi completed byUs" },
      },
    ],
    [
      "13-3 - binding to specific a class",
      {
        volumes: [inClass("silver", "silver"), inClass("v", "gold", "10Gi")],
        claim: claim("data", { class: "gold" }),
        becomes: { volumes: ["silver Available", "v Bound data#uid-data byUs"], claim: "data Bound v 10Gi completed byUs" },
      },
    ],
    [
      "13-4 - empty class; 11-15 - no provisioning with class=''",
      { volumes: [inClass("gold", "gold")], claim: claim("data", { class: "" }), events: [noneFits] },
    ],
    [
      "13-5 - nil class; 11-16 - no provisioning with class=nil",
      { volumes: [inClass("gold", "gold")], claim: claim("data"), events: [noneFits] },
    ],
    [
      "the annotation of old says the class too",
      {
        volumes: [inClass("v", "gold")],
        claim: claim("data", { metadata: { annotations: { "volume.beta.kubernetes.io/storage-class": "gold" } } }),
        becomes: bound,
      },
    ],
  ])("%s", (_name, row) => check(row))

  const older = storageClass("older", { metadata: { name: "older", annotations: isDefault, creationTimestamp: "2026-01-01T00:00:00Z" } })
  const newer = storageClass("newer", { metadata: { name: "newer", annotations: isDefault, creationTimestamp: "2026-01-02T00:00:00Z" } })
  test.each<[string, StorageClass[], PersistentVolumeClaim, string | undefined]>([
    ["15-1 - no default storage class", [storageClass("plain")], claim("data"), undefined],
    ["15-2 - default storage class assigned at run time", [older], claim("data"), "older"],
    ["15-3 - the newest of two default storage classes", [older, newer], claim("data"), "newer"],
    ["15-4 - an empty class is a choice", [older], claim("data", { class: "" }), ""],
    ["15-5 - a class is a choice", [older], claim("data", { class: "gold" }), "gold"],
  ])("RetroactiveStorageClassAssignment: %s", async (_name, classes, asked, expected) => {
    const world = new World({ objects: [...classes, asked] })
    await world.lookAtClaim("data")
    expect(world.object<PersistentVolumeClaim>("data")?.spec?.storageClassName).toBe(expected)
  })

  test("a free volume is taken before a default class is given", async () => {
    const world = new World({ objects: [older, volume("v"), claim("data")] })
    await world.lookAtClaim("data")
    expect(world.claims()).toEqual([bound.claim])
  })
})

describe("volumeMode", () => {
  const block = { spec: { volumeMode: "Block" } } as const
  const named = (options: Parameters<typeof claim>[1] = {}) => claim("data", { volume: "v", ...options })
  const mismatch = 'Warning VolumeMismatch: Cannot bind to requested volume "v": incompatible volumeMode'
  test.each<[string, Row]>([
    ["14-1 - binding to volumeMode block", { volumes: [volume("v", block)], claim: claim("data", block), becomes: bound }],
    ["14-2 - binding to volumeMode filesystem", { volumes: [volume("v")], claim: claim("data"), becomes: bound }],
    [
      "14-3 - do not bind pv volumeMode filesystem and pvc volumeMode block",
      { volumes: [volume("v")], claim: claim("data", block), events: [noneFits] },
    ],
    [
      "14-4 - do not bind pv volumeMode block and pvc volumeMode filesystem",
      { volumes: [volume("v", block)], claim: claim("data"), events: [noneFits] },
    ],
    [
      "14-5 - do not bind when matching class but not volumeMode",
      { volumes: [volume("v", block)], claim: claim("data", { class: "" }), events: [noneFits] },
    ],
    [
      "14-5-1 - do not bind when matching volumeModes but class does not match",
      {
        volumes: [volume("v", { spec: { ...block.spec, storageClassName: "gold" } })],
        claim: claim("data", { class: "", ...block }),
        events: [noneFits],
      },
    ],
    [
      "14-5-2 - do not bind when pvc is prebound to pv with matching volumeModes but class does not match",
      {
        volumes: [volume("v", { spec: { ...block.spec, storageClassName: "gold" } })],
        claim: named({ class: "", ...block }),
        events: ['Warning VolumeMismatch: Cannot bind to requested volume "v": storageClassName does not match'],
      },
    ],
    [
      "14-7, 14-10, 14-12 - bind when pv is prebound and volumeModes match",
      { volumes: [volume("v", { for: "data", ...block })], claim: claim("data", block), becomes: boundByPerson },
    ],
    [
      "14-8 - do not bind when pvc is prebound to pv with mismatching volumeModes",
      { volumes: [volume("v")], claim: named(block), events: [mismatch] },
    ],
    ["14-8-1 - the same the other way round", { volumes: [volume("v", block)], claim: named(), events: [mismatch] }],
    [
      "14-9, 14-11 - bind when pvc is prebound to pv with matching volumeModes",
      {
        volumes: [volume("v", block)],
        claim: named(block),
        becomes: { volumes: ["v Bound data#uid-data byUs"], claim: "data Bound v 1Gi completed" },
      },
    ],
  ])("%s", (_name, row) => check({ ...row, events: row.events ?? [] }))
})

describe("a claim that waits for a consumer reports for which", () => {
  test.each<[string, readonly string[], string]>([
    ["one pod", ["web"], "Normal WaitForPodScheduled: waiting for pod web to be scheduled"],
    ["two pods", ["web", "job"], "Normal WaitForPodScheduled: waiting for pods web,job to be scheduled"],
  ])("%s", async (_name, names, event) => {
    const pods = names.map((name) => podWith(name, "data"))
    const ignored = [podWith("placed", "data", { node: "node-1" }), podWith("done", "data", { phase: "Succeeded" })]
    const world = new World({ objects: [waiting, claim("data", { class: "wait" }), ...pods, ...ignored] })
    const plan = await world.lookAtClaim("data")
    expect(world.events).toEqual([event])
    expect(plan.requeue?.after).toBe("15s")
  })
})
