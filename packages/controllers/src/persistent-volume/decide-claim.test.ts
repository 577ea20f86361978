import type { PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import { describePlan } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { decideClaim } from "./decide-claim.ts"
import { app, both, bound, boundByPerson, check, completed, labelled, noneFits, type Row, waiting } from "./testing/claim-rows.ts"
import { World } from "./testing/model.ts"
import { claim, volume } from "./testing/objects.ts"

describe("a claim that takes any volume", () => {
  test.each<[string, Row]>([
    ["1-1 - successful bind", { volumes: [volume("v")], claim: claim("data"), becomes: bound }],
    ["1-2 - noop", { volumes: [volume("v")], claim: claim("data", { size: "10Gi" }), events: [noneFits] }],
    ["1-3 - reset to Pending", { claim: claim("data", { phase: "Bound" }), becomes: { claim: "data Pending" }, events: [noneFits] }],
    [
      "1-4 - smallest volume",
      {
        volumes: [volume("ten", { size: "10Gi" }), volume("one", { size: "1Gi" }), volume("two", { size: "2Gi" })],
        claim: claim("data"),
        becomes: {
          volumes: ["ten Available", "one Bound data#uid-data byUs", "two Available"],
          claim: "data Bound one 1Gi completed byUs",
        },
      },
    ],
    [
      "1-5 - prebound volume by name - success",
      {
        volumes: [volume("big", { size: "10Gi", for: "data" }), volume("v")],
        claim: claim("data"),
        becomes: { volumes: ["big Bound data#uid-data", "v Available"], claim: "data Bound big 10Gi completed byUs" },
      },
    ],
    [
      "1-6 - prebound volume by UID - success",
      {
        volumes: [volume("big", { size: "10Gi", for: "data#uid-data" }), volume("v")],
        claim: claim("data"),
        becomes: { volumes: ["big Bound data#uid-data", "v Available"], claim: "data Bound big 10Gi completed byUs" },
      },
    ],
    [
      "1-7 - prebound volume to different claim",
      { volumes: [volume("v", { for: "other#uid-other" })], claim: claim("data"), events: [noneFits] },
    ],
    [
      "a volume that is reserved for an older claim of the name is none for this one",
      { volumes: [volume("v", { for: "data#uid-older" })], claim: claim("data"), events: [noneFits] },
    ],
    [
      "1-8 - complete bind after crash - PV bound",
      { volumes: [volume("v", { for: "data#uid-data", byUs: true })], claim: claim("data"), becomes: bound },
    ],
    [
      "1-9 - complete bind after crash - PV status saved",
      { volumes: [volume("v", { for: "data#uid-data", byUs: true, phase: "Bound" })], claim: claim("data"), becomes: bound },
    ],
    [
      "1-10 - complete bind after crash - PVC bound",
      {
        volumes: [volume("v", { for: "data#uid-data", byUs: true, phase: "Bound" })],
        claim: claim("data", { volume: "v", ...both }),
        becomes: bound,
      },
    ],
    ["1-11 - bind when selector matches", { volumes: [volume("v", labelled)], claim: claim("data", { spec: app }), becomes: bound }],
    [
      "1-12 - do not bind when selector does not match",
      { volumes: [volume("v")], claim: claim("data", { spec: app }), events: [noneFits] },
    ],
    [
      "1-13 - delayed binding",
      {
        volumes: [volume("v", { spec: { storageClassName: "wait" } })],
        claim: claim("data", { class: "wait" }),
        classes: [waiting],
        events: ["Normal WaitForFirstConsumer: waiting for first consumer to be created before binding"],
      },
    ],
    [
      "1-14 - successful prebound PV",
      {
        volumes: [volume("v", { for: "data", spec: { storageClassName: "wait" } })],
        claim: claim("data", { class: "wait" }),
        classes: [waiting],
        becomes: boundByPerson,
      },
    ],
    [
      "1-17 - skip non-available PV if it's not pre-bind",
      {
        volumes: [volume("a", { phase: "Pending" }), volume("b", { phase: "Failed" }), volume("c", { phase: "Released" })],
        claim: claim("data"),
        events: [noneFits],
      },
    ],
    [
      "1-18 - successful pre-bound PV to PVC provisioning",
      {
        volumes: [volume("v", { for: "data#uid-data", spec: { storageClassName: "wait" } })],
        claim: claim("data", { class: "wait", metadata: { annotations: { "volume.kubernetes.io/selected-node": "node-1" } } }),
        classes: [waiting],
        becomes: boundByPerson,
      },
    ],
    [
      "a claim that goes away gets nothing new",
      { volumes: [volume("v")], claim: claim("data", { metadata: { deletionTimestamp: "2026-01-05T09:00:00Z" } }) },
    ],
    [
      "a terminating volume is not bound",
      { volumes: [volume("v", { metadata: { deletionTimestamp: "2026-01-05T09:00:00Z" } })], claim: claim("data"), events: [noneFits] },
    ],
    [
      "a started binding is completed although the volume is terminating",
      {
        volumes: [
          volume("v", { for: "data#uid-data", byUs: true, phase: "Bound", metadata: { deletionTimestamp: "2026-01-05T09:00:00Z" } }),
        ],
        claim: claim("data"),
        becomes: bound,
      },
    ],
  ])("%s", (_name, row) => check(row))
})

describe("a claim that names its volume", () => {
  const taken = 'Warning FailedBinding: volume "v" already bound to a different claim.'
  const mismatch = (why: string) => `Warning VolumeMismatch: Cannot bind to requested volume "v": ${why}`
  const named = (options: Parameters<typeof claim>[1] = {}) => claim("data", { volume: "v", ...options })
  const boundByName = { volumes: ["v Bound data#uid-data byUs"], claim: "data Bound v 1Gi completed" }
  const gold = { spec: { volumeAttributesClassName: "gold" } }
  test.each<[string, Row]>([
    [
      "1-15 - successful prebound PVC",
      {
        volumes: [volume("v", { size: "10Gi" }), volume("small")],
        claim: named(),
        becomes: { volumes: ["v Bound data#uid-data byUs", "small Available"], claim: "data Bound v 10Gi completed" },
      },
    ],
    [
      "1-16 - prebound PVC to a PV with a different access mode",
      { volumes: [volume("v")], claim: named({ spec: { accessModes: ["ReadWriteMany"] } }), events: [mismatch("incompatible accessMode")] },
    ],
    ["2-1 - claim prebound to non-existing volume - noop", { claim: named() }],
    [
      "2-2 - claim prebound to non-existing volume - reset status",
      { claim: named({ phase: "Bound" }), becomes: { claim: "data Pending v" } },
    ],
    ["2-3 - claim prebound to unbound volume", { volumes: [volume("v")], claim: named(), becomes: boundByName }],
    [
      "2-4 - claim prebound to prebound volume by name",
      {
        volumes: [volume("v", { for: "data" })],
        claim: named(),
        becomes: { volumes: ["v Bound data#uid-data"], claim: "data Bound v 1Gi completed" },
      },
    ],
    [
      "2-5 - claim prebound to prebound volume by UID",
      {
        volumes: [volume("v", { for: "data#uid-data" })],
        claim: named(),
        becomes: { volumes: ["v Bound data#uid-data"], claim: "data Bound v 1Gi completed" },
      },
    ],
    [
      "2-6 - claim prebound to already bound volume",
      { volumes: [volume("v", { for: "other#uid-other", phase: "Bound" })], claim: named(), events: [taken] },
    ],
    [
      "2-7 - claim bound by controller to already bound volume",
      { volumes: [volume("v", { for: "other#uid-other", phase: "Bound" })], claim: named({ marks: ["byUs"] }), events: [taken] },
    ],
    [
      "2-8 - claim prebound to unbound volume that does not match the selector",
      { volumes: [volume("v")], claim: named({ spec: app }), becomes: boundByName },
    ],
    [
      "2-9 - claim prebound to unbound volume that size is smaller than requested",
      { volumes: [volume("v")], claim: named({ size: "2Gi" }), events: [mismatch("requested PV is too small")] },
    ],
    [
      "2-10 - claim prebound to unbound volume that class is different",
      {
        volumes: [volume("v", { spec: { storageClassName: "silver" } })],
        claim: named({ class: "gold" }),
        events: [mismatch("storageClassName does not match")],
      },
    ],
    [
      "2-11 - claim prebound to unbound volume that volume attributes class is different",
      { volumes: [volume("v")], claim: named(gold), events: [mismatch("volumeAttributesClassName does not match")] },
    ],
    [
      "2-12, 2-13 - claim prebound to unbound volume that volume attributes class is same",
      { volumes: [volume("v", gold)], claim: named(gold), becomes: boundByName },
    ],
    [
      "a volume that goes away is not bound",
      {
        volumes: [volume("v", { metadata: { deletionTimestamp: "2026-01-05T09:00:00Z" } })],
        claim: named(),
        events: [mismatch('the volume is marked for deletion "v"')],
      },
    ],
  ])("%s", async (_name, row) => {
    const events = row.events ?? []
    await check({ ...row, events })
  })

  test("the attributes class that the volume has becomes the claim's current one", async () => {
    const world = new World({ objects: [volume("v", gold), named(gold)] })
    await world.lookAtClaim("data")
    expect(world.object<PersistentVolumeClaim>("data")?.status?.currentVolumeAttributesClassName).toBe("gold")
  })
})

describe("a claim that was bound", () => {
  const lost = (message: string) => `Warning ClaimLost: Bound claim has lost ${message} Data on the volume is lost!`
  const misbound = "Warning ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly"
  test.each<[string, Row]>([
    [
      "3-1 - bound claim with missing VolumeName",
      {
        claim: claim("data", { phase: "Bound", ...both }),
        becomes: { claim: "data Lost completed byUs" },
        events: [lost("reference to PersistentVolume.")],
      },
    ],
    [
      "3-2 - bound claim with missing volume",
      {
        claim: claim("data", { phase: "Bound", volume: "v", ...both }),
        becomes: { claim: "data Lost v completed byUs" },
        events: [lost("its PersistentVolume.")],
      },
    ],
    ["3-3 - bound claim with unbound volume", { volumes: [volume("v")], claim: claim("data", { volume: "v", ...both }), becomes: bound }],
    [
      "3-4 - bound claim with prebound volume",
      {
        volumes: [volume("v", { for: "data" })],
        claim: claim("data", { volume: "v", ...both }),
        becomes: { claim: "data Lost v completed byUs" },
        events: [misbound],
      },
    ],
    [
      "3-5 - bound claim with bound volume",
      {
        volumes: [volume("v", { for: "data#uid-data" })],
        claim: claim("data", { volume: "v", ...completed }),
        becomes: { volumes: ["v Bound data#uid-data"], claim: "data Bound v 1Gi completed" },
      },
    ],
    [
      "3-6 - bound claim with bound volume of another claim",
      {
        volumes: [volume("v", { for: "other#uid-other" })],
        claim: claim("data", { volume: "v", ...completed }),
        becomes: { claim: "data Lost v completed" },
        events: [misbound],
      },
    ],
    [
      "3-7 - bound claim with unbound volume where selector doesn't match",
      { volumes: [volume("v")], claim: claim("data", { volume: "v", spec: app, ...both }), becomes: bound },
    ],
    [
      "a claim that was called lost is bound again when its volume comes back",
      {
        volumes: [volume("v", { for: "data#uid-data", byUs: true })],
        claim: claim("data", { phase: "Lost", volume: "v", ...both }),
        becomes: bound,
      },
    ],
    [
      "all is well: nothing is written",
      {
        volumes: [volume("v", { for: "data#uid-data", byUs: true, phase: "Bound" })],
        claim: claim("data", { phase: "Bound", volume: "v", ...both }),
      },
    ],
    [
      "a size that was grown on purpose is left alone",
      {
        volumes: [volume("v", { for: "data#uid-data", byUs: true, phase: "Bound", size: "5Gi" })],
        claim: claim("data", { phase: "Bound", volume: "v", ...both }),
      },
    ],
  ])("%s", (_name, row) => check(row))

  test("data is not called lost while the server has a volume that the cache lacks", async () => {
    const unseen = [volume("v", { for: "data#uid-data", byUs: true, phase: "Bound" })]
    const world = new World({ objects: [claim("data", { phase: "Bound", volume: "v", ...both })], unseen })
    await world.lookAtClaim("data")
    expect(world.operations).toEqual([])
  })
})

test("a claim whose loss was recorded before is stuck", () => {
  const observed = { claim: claim("data", { phase: "Lost", volume: "v", ...both }), candidates: [], waitingPods: [] }
  expect(describePlan(decideClaim(observed, "15s"))).toEqual([
    "cannot go on: Bound claim has lost its PersistentVolume. Data on the volume is lost!",
  ])
})
