import type { PersistentVolume, PersistentVolumeClaim, Pod } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { provisionedBy, reclaimFinalizer } from "./annotations.ts"
import { VolumeInUseError } from "./plugins/volume-plugin.ts"
import { World } from "./testing/model.ts"
import { claim, podWith, type VolumeOptions, volume } from "./testing/objects.ts"
import { broken, type MemoryPlugin, memoryPlugin } from "./testing/plugin.ts"

interface Row {
  readonly volume: PersistentVolume
  readonly claims?: readonly PersistentVolumeClaim[]
  readonly pods?: readonly Pod[]
  /** What only the server has. */
  readonly unseen?: readonly (PersistentVolume | PersistentVolumeClaim)[]
  /** Left out: as before. "": it is gone. */
  readonly becomes?: string
  readonly events?: readonly string[]
  readonly plugin?: MemoryPlugin
  /** What the plugin was asked for. */
  readonly calls?: readonly string[]
}

const memory = "kubernetes.io/memory"
/** A volume of the plugin in memory. */
function remembered(options: VolumeOptions = {}): PersistentVolume {
  return volume("v", { ...options, spec: { hostPath: undefined, nfs: { server: memory, path: "/v" }, ...options.spec } })
}

/** Two looks: the first one calls it released, the second one acts. */
async function check({ volume: looked, claims = [], pods = [], unseen, becomes, events = [], plugin, calls = [] }: Row): Promise<World> {
  const plugins = plugin === undefined ? [] : [plugin]
  const world = new World({ objects: [looked, ...claims, ...pods], unseen, plugins })
  const before = world.volumes()
  for (let time = 0; time < 2; time++) await world.lookAtVolume("v")
  expect(world.volumes()).toEqual(becomes === undefined ? before : [becomes].filter(Boolean))
  expect(world.events).toEqual(events)
  expect(plugin?.calls ?? []).toEqual(calls)
  return world
}

describe("phases", () => {
  const ours = { for: "data#uid-data", byUs: true } as const
  const elsewhere = claim("data", { phase: "Bound", volume: "other", marks: ["completed"] })
  test.each<[string, Row]>([
    ["4-1 - pending volume", { volume: volume("v", { phase: "Pending" }), becomes: "v Available" }],
    ["4-2 - pending prebound volume", { volume: volume("v", { phase: "Pending", for: "data" }), becomes: "v Available data" }],
    [
      "4-3 - bound volume with missing claim",
      { volume: volume("v", { phase: "Bound", for: "data#uid-data" }), becomes: "v Released data#uid-data" },
    ],
    [
      "4-4 - volume bound to claim with different UID",
      { volume: volume("v", { phase: "Bound", for: "data#uid-older" }), claims: [claim("data")], becomes: "v Released data#uid-older" },
    ],
    ["4-5 - volume bound by controller to unbound claim", { volume: volume("v", ours), claims: [claim("data")] }],
    [
      "4-5 - volume bound by user to bound claim",
      {
        volume: volume("v", { for: "data#uid-data" }),
        claims: [claim("data", { phase: "Bound", volume: "v", marks: ["completed"] })],
        becomes: "v Bound data#uid-data",
      },
    ],
    [
      "4-6 - volume bound by to bound claim",
      { volume: volume("v", { for: "data#uid-data", phase: "Bound" }), claims: [claim("data", { phase: "Bound", volume: "v" })] },
    ],
    [
      "4-7 - volume bound by controller to claim bound somewhere else",
      { volume: volume("v", { ...ours, phase: "Bound" }), claims: [elsewhere], becomes: "v Available" },
    ],
    [
      "4-8 - volume bound by user to claim bound somewhere else",
      { volume: volume("v", { for: "data#uid-data", phase: "Bound" }), claims: [elsewhere], becomes: "v Available data" },
    ],
    [
      "4-9 - volume bound to bound claim, with PersistentVolumeReclaimDelete",
      {
        volume: volume("v", { ...ours, phase: "Bound", spec: { persistentVolumeReclaimPolicy: "Delete" } }),
        claims: [elsewhere],
        becomes: "v Available",
      },
    ],
    [
      "4-10, 4-12 - volume bound to a claim that is too new for the cache",
      { volume: volume("v", { ...ours, phase: "Bound" }), unseen: [claim("data", { phase: "Bound", volume: "v" })] },
    ],
    [
      "4-12 - volume bound to newest claim but not updated to local cache",
      {
        volume: volume("v", { ...ours, phase: "Bound" }),
        claims: [claim("data", { metadata: { uid: "uid-older" } })],
        unseen: [claim("data", { phase: "Bound", volume: "v" })],
      },
    ],
    [
      "4-11 - volume bound to unknown claim",
      { volume: volume("v", { ...ours, phase: "Bound" }), becomes: "v Released data#uid-data byUs" },
    ],
    ["a volume that failed stays so for people to see", { volume: volume("v", { ...ours, phase: "Failed" }) }],
  ])("%s", async (_name, row) => void (await check(row)))

  const block = { spec: { volumeMode: "Block" } } as const
  const refusals = [
    'Warning VolumeMismatch: Cannot bind PersistentVolume to requested PersistentVolumeClaim "data" due to incompatible volumeMode.',
    'Warning VolumeMismatch: Cannot bind PersistentVolume "v" to requested PersistentVolumeClaim due to incompatible volumeMode.',
  ]
  test.each<[string, PersistentVolume, PersistentVolumeClaim, readonly string[]]>([
    [
      "14-13 - output warning when pv is prebound to pvc with different volumeModes",
      volume("v", { ...ours, ...block }),
      claim("data"),
      refusals,
    ],
    ["14-13-1 - the same the other way round", volume("v", ours), claim("data", block), refusals],
    [
      "14-14 - wait for synClaim without warning when volumeModes match: block",
      volume("v", { ...ours, ...block }),
      claim("data", block),
      [],
    ],
    ["14-14-1 - wait for synClaim without warning when volumeModes match: file", volume("v", ours), claim("data"), []],
  ])("%s", async (_name, looked, asked, events) => {
    const world = new World({ objects: [looked, asked] })
    await world.lookAtVolume("v")
    expect([world.events, world.operations]).toEqual([events, []])
  })
})

describe("Recycle", () => {
  const spec = { persistentVolumeReclaimPolicy: "Recycle" } as const
  const free = (options: VolumeOptions = {}) => remembered({ phase: "Bound", for: "data#uid-data", spec, ...options })
  const recycled = { calls: ["recycle v"], events: ["Normal VolumeRecycled: Volume recycled"] }
  const failing = Object.assign(memoryPlugin(), { failure: broken("the disk is on fire") })
  const inUse = (...pods: string[]) => [`Normal VolumeFailedRecycle: Volume is used by pods: ${pods.join(",")}`]
  test.each<[string, Row]>([
    ["6-1 - successful recycle", { volume: free({ byUs: true }), plugin: memoryPlugin(), becomes: "v Available", ...recycled }],
    ["6-2 - successful recycle with prebound volume", { volume: free(), plugin: memoryPlugin(), becomes: "v Available data", ...recycled }],
    [
      "6-3 - plugin not found",
      {
        volume: free(),
        becomes: "v Failed data#uid-data",
        events: ["Warning VolumeFailedRecycle: No recycler plugin found for the volume!"],
      },
    ],
    [
      "6-4, 6-5 - recycle returns error",
      {
        volume: free(),
        plugin: failing,
        becomes: "v Failed data#uid-data",
        calls: ["recycle v"],
        events: ["Warning VolumeFailedRecycle: Recycle failed: the disk is on fire"],
      },
    ],
    [
      "6-9 - prebound volume is recycled while the claim exists",
      {
        volume: free(),
        claims: [claim("data", { metadata: { uid: "uid-newer" } })],
        plugin: memoryPlugin(),
        becomes: "v Available data",
        ...recycled,
      },
    ],
    [
      "6-10 - unknown reclaim policy",
      {
        volume: free({ spec: { persistentVolumeReclaimPolicy: "Burn" as "Retain" } }),
        becomes: "v Failed data#uid-data",
        events: ["Warning VolumeUnknownReclaimPolicy: Volume has unrecognized PersistentVolumeReclaimPolicy"],
      },
    ],
    [
      "6-11 - used by running pod",
      {
        volume: free({ phase: "Released" }),
        plugin: memoryPlugin(),
        pods: [podWith("web", "data", { node: "node-1", phase: "Running" })],
        events: [...inUse("default/web"), ...inUse("default/web")],
      },
    ],
    [
      "6-12 - used by pending pod",
      {
        volume: free({ phase: "Released" }),
        plugin: memoryPlugin(),
        pods: [podWith("b", "data"), podWith("a", "data")],
        events: [...inUse("default/a", "default/b"), ...inUse("default/a", "default/b")],
      },
    ],
    [
      "6-13 - used by completed pod",
      {
        volume: free({ byUs: true }),
        plugin: memoryPlugin(),
        pods: [podWith("web", "data", { phase: "Succeeded" })],
        becomes: "v Available",
        ...recycled,
      },
    ],
    [
      "6-14 - seemingly used by running pod",
      {
        volume: free({ byUs: true }),
        plugin: memoryPlugin(),
        pods: [podWith("web", "data", { phase: "Running" })],
        claims: [claim("data", { phase: "Bound", volume: "other", metadata: { uid: "uid-newer" } })],
        becomes: "v Available",
        ...recycled,
      },
    ],
    [
      "7-1 - recycle returns error, and is tried again",
      {
        volume: free({ phase: "Failed", message: "the disk is on fire", byUs: true }),
        plugin: memoryPlugin(),
        becomes: "v Available",
        ...recycled,
      },
    ],
  ])("%s", async (_name, row) => {
    if (row.plugin === failing) failing.calls.length = 0
    const world = await check({ ...row, calls: row.plugin === failing ? ["recycle v"] : row.calls })
    expect(world.object<PersistentVolume>("v")?.status?.message).toBe(
      row.becomes?.includes("Failed") ? row.events?.[0]?.split(": ").slice(1).join(": ") : undefined,
    )
  })

  test.each<[string, PersistentVolume | undefined]>([
    ["6-6, 8-6 - volume is deleted before recycling", undefined],
    ["6-7 - volume is available again before recycling", remembered({ metadata: { resourceVersion: "8" }, spec })],
    ["6-8 - prebound volume is available again before recycling", remembered({ for: "data", metadata: { resourceVersion: "8" }, spec })],
  ])("%s: the server knows, the cache does not; nothing is scrubbed", async (_name, live) => {
    const plugin = memoryPlugin()
    const gone = volume("v", { metadata: { resourceVersion: "none" } })
    const world = new World({ objects: [free({ phase: "Released" })], plugins: [plugin], unseen: [live ?? gone] })
    await world.lookAtVolume("v")
    expect([plugin.calls, world.operations]).toEqual([[], []])
  })
})

describe("Delete", () => {
  const spec = { persistentVolumeReclaimPolicy: "Delete" } as const
  const bound = (options: VolumeOptions = {}) => remembered({ phase: "Bound", for: "data#uid-data", spec, ...options })
  const made = (by: string, options: VolumeOptions = {}) => bound({ metadata: { annotations: { [provisionedBy]: by } }, ...options })
  const failing = () => Object.assign(memoryPlugin(), { failure: broken("the disk is on fire") })
  const elsewhere = claim("data", { phase: "Bound", volume: "other", marks: ["completed"] })
  const notMatched = 'error getting deleter volume plugin for volume "v": no volume plugin matched'
  test.each<[string, Row]>([
    ["8-1 - successful delete", { volume: bound({ byUs: true }), plugin: memoryPlugin(), becomes: "", calls: ["delete v"] }],
    ["8-2 - successful delete with prebound volume", { volume: bound(), plugin: memoryPlugin(), becomes: "", calls: ["delete v"] }],
    [
      "8-3 - plugin not found",
      { volume: bound(), becomes: "v Failed data#uid-data", events: [`Warning VolumeFailedDelete: ${notMatched}`] },
    ],
    [
      "8-4, 8-5 - delete returns error",
      {
        volume: bound(),
        plugin: failing(),
        becomes: "v Failed data#uid-data",
        calls: ["delete v"],
        events: ["Warning VolumeFailedDelete: the disk is on fire"],
      },
    ],
    [
      "8-7 - volume is bound before deleting",
      { volume: bound({ byUs: true }), unseen: [claim("data", { phase: "Bound", volume: "v" })], plugin: memoryPlugin() },
    ],
    [
      "8-9 - prebound volume is deleted while the claim exists",
      {
        volume: bound(),
        claims: [claim("data", { metadata: { uid: "uid-newer" } })],
        plugin: memoryPlugin(),
        becomes: "",
        calls: ["delete v"],
      },
    ],
    [
      "8-10-1 - external deleter when volume is dynamic provisioning",
      { volume: made("example.com/disks", { byUs: true }), plugin: memoryPlugin(), becomes: "v Released data#uid-data byUs" },
    ],
    [
      "8-10-2 - external deleter when volume is static provisioning",
      {
        volume: bound({ byUs: true, spec: { ...spec, nfs: undefined, csi: { driver: "disks.example.com", volumeHandle: "1" } } }),
        plugin: memoryPlugin(),
        becomes: "v Released data#uid-data byUs",
      },
    ],
    [
      "8-10-3 - external deleter when volume is migrated",
      {
        volume: bound({
          metadata: { annotations: { [provisionedBy]: "kubernetes.io/gce-pd", "pv.kubernetes.io/migrated-to": "pd.csi.storage.gke.io" } },
        }),
        plugin: memoryPlugin(),
        becomes: "v Released data#uid-data",
      },
    ],
    [
      "8-11 - two PVs provisioned for a single claim",
      { volume: made(memory), claims: [elsewhere], plugin: memoryPlugin(), becomes: "", calls: ["delete v"] },
    ],
    [
      "8-12 - two PVs externally provisioned for a single claim",
      { volume: made("example.com/disks"), claims: [elsewhere], plugin: memoryPlugin(), becomes: "v Released data#uid-data" },
    ],
    [
      "8-13 - volume has deletion timestamp and processed",
      {
        volume: bound({ metadata: { deletionTimestamp: "2026-01-05T09:00:00Z", finalizers: [reclaimFinalizer] } }),
        plugin: memoryPlugin(),
        becomes: "",
        calls: ["delete v"],
      },
    ],
    [
      "9-1 - delete returns error, and is tried again",
      { volume: bound({ phase: "Failed", message: "the disk is on fire" }), plugin: memoryPlugin(), becomes: "", calls: ["delete v"] },
    ],
    [
      "a plugin that cannot delete",
      {
        volume: bound(),
        plugin: Object.assign(memoryPlugin(), { delete: undefined }),
        becomes: "v Failed data#uid-data",
        events: ['Warning VolumeFailedDelete: error getting deleter volume plugin for volume "v": no deletable volume plugin matched'],
      },
    ],
    [
      "a plugin that made it and is not there any more",
      {
        volume: made("kubernetes.io/gone"),
        becomes: "v Failed data#uid-data",
        events: ["Warning VolumeFailedDelete: no volume plugin matched name: kubernetes.io/gone"],
      },
    ],
  ])("%s", async (_name, row) => void (await check(row)))

  test("a volume in use is no failure: an event is recorded, and the delete is retried", async () => {
    const plugin = Object.assign(memoryPlugin(), { failure: new VolumeInUseError("15s", "node-1 still mounts it") })
    await check({
      volume: bound({ phase: "Released" }),
      plugin,
      calls: ["delete v", "delete v"],
      events: ["Normal VolumeDelete: node-1 still mounts it", "Normal VolumeDelete: node-1 still mounts it"],
    })
  })

  test("the finalizer goes when what is behind the volume has gone, and the volume after it", async () => {
    const world = new World({
      objects: [
        made(memory, {
          phase: "Released",
          metadata: { annotations: { [provisionedBy]: memory }, finalizers: [reclaimFinalizer, "example.com/mine"] },
        }),
      ],
      plugins: [memoryPlugin()],
    })
    const plan = await world.lookAtVolume("v")
    expect(plan?.steps.map((step) => step.operations.map((operation) => operation.do))).toEqual([["delete-volume"], ["update"], ["delete"]])
    expect(plan?.steps[1]?.operations[0]).toMatchObject({ object: { metadata: { finalizers: ["example.com/mine"] } } })
  })
})

describe("the finalizer of a volume that a plugin of ours made", () => {
  const annotations = { [provisionedBy]: memory }
  const external = "external-provisioner.volume.kubernetes.io/finalizer"
  test.each<[string, "Delete" | "Retain" | "Recycle", string, readonly string[], readonly string[]]>([
    ["comes with the policy Delete", "Delete", memory, [], [reclaimFinalizer]],
    ["stays with it", "Delete", memory, [reclaimFinalizer], [reclaimFinalizer]],
    ["goes with Retain", "Retain", memory, [reclaimFinalizer], []],
    ["goes with Recycle", "Recycle", memory, [reclaimFinalizer, "example.com/mine"], ["example.com/mine"]],
    ["takes the place of an external provisioner's", "Delete", memory, [external], [reclaimFinalizer]],
    ["is not put on what others made", "Delete", "example.com/disks", [external], [external]],
  ])("%s", async (_name, policy, by, before, after) => {
    const metadata = { annotations: { ...annotations, [provisionedBy]: by }, finalizers: [...before] }
    const looked = remembered({ phase: "Bound", for: "data#uid-data", metadata, spec: { persistentVolumeReclaimPolicy: policy } })
    const world = new World({ objects: [looked, claim("data", { phase: "Bound", volume: "v", marks: ["completed"] })] })
    await world.lookAtVolume("v")
    expect(world.object("v")?.metadata.finalizers ?? []).toEqual(after)
  })
})
