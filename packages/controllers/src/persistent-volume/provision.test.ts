import { forbidden } from "@pilothouse/api"
import type { PersistentVolume, PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import type { StorageClass } from "@pilothouse/api/storage/v1"
import { describe, expect, test } from "vitest"
import { selectedNode } from "./annotations.ts"
import type { VolumePlugin } from "./plugins/volume-plugin.ts"
import { World, type WorldOptions } from "./testing/model.ts"
import { claim, node, storageClass, volume } from "./testing/objects.ts"
import { broken, memoryPlugin } from "./testing/plugin.ts"

const memory = "kubernetes.io/memory"
const gold = storageClass("gold", { provisioner: memory })
const asking = claim("data", { class: "gold" })
const placed = (on: string, of = "wait") => claim("data", { class: of, metadata: { annotations: { [selectedNode]: on } } })
const wait = storageClass("wait", { provisioner: memory, volumeBindingMode: "WaitForFirstConsumer" })

interface Row {
  readonly claim?: PersistentVolumeClaim
  readonly class?: StorageClass
  readonly others?: readonly (PersistentVolume | typeof node)[]
  readonly plugins?: readonly VolumePlugin[]
  readonly options?: Partial<WorldOptions>
  readonly makes?: boolean
  readonly events?: readonly string[]
}

const succeeded = `Normal ProvisioningSucceeded: Successfully provisioned volume pvc-uid-data using ${memory}`
const failed = (message: string) => `Warning ProvisioningFailed: ${message}`
const external = (name: string) =>
  `Normal ExternalProvisioning: Waiting for a volume to be created either by the external provisioner '${name}' or manually by the system ` +
  "administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered."
const disks = storageClass("gold", { provisioner: "example.com/disks" })

test.each<[string, Row]>([
  ["11-1, 11-13 - successful provision", { makes: true, events: [succeeded] }],
  [
    "11-2 - plugin not found; 11-18 - unknown internal provisioner",
    { plugins: [], events: [failed(`no volume plugin matched name: ${memory}`)] },
  ],
  [
    "11-3 - newProvisioner failure",
    {
      plugins: [
        {
          ...memoryPlugin(),
          provisioner: {
            ...memoryPlugin().provisioner!,
            describe: () => {
              throw broken("not today")
            },
          },
        },
      ],
      events: [failed("Failed to create provisioner: not today")],
    },
  ],
  [
    "11-4 - provision failure",
    {
      plugins: [Object.assign(memoryPlugin(), { failure: broken("no room") })],
      events: [failed('Failed to provision volume with StorageClass "gold": no room')],
    },
  ],
  ["11-6 - provisioning when there is a volume available", { others: [volume("v", { spec: { storageClassName: "gold" } })] }],
  [
    "11-7 - claim is bound before provisioning",
    { others: [volume("pvc-uid-data", { for: "data#uid-data", spec: { storageClassName: "gold" } })] },
  ],
  [
    "11-8 - cannot save provisioned volume: told at the first refusal (unsaved.test.ts has the rest)",
    {
      options: {
        refuse: (operation) =>
          operation.startsWith("create") ? forbidden({ group: "", plural: "persistentvolumes" }, "x", "no more") : undefined,
      },
      events: [failed('Error creating provisioned PV object for claim default/data: persistentvolumes "x" is forbidden: no more.')],
    },
  ],
  [
    "11-14 - fail due to non-existing class",
    { claim: claim("data", { class: "lead" }), events: [failed('storageclass.storage.k8s.io "lead" not found')] },
  ],
  ["11-17 - external provisioner", { class: disks, events: [external("example.com/disks")] }],
  [
    "11-20 - unsupported storageClass.mountOptions",
    {
      class: { ...gold, mountOptions: ["ro", "noatime"] },
      events: [failed('Mount options are not supported by the provisioner but StorageClass "gold" has mount options [ro noatime]')],
    },
  ],
  [
    "11-21 - external provisioner for CSI migration",
    { class: { ...gold, provisioner: "kubernetes.io/gce-pd" }, events: [external("pd.csi.storage.gke.io")] },
  ],
  ["11-22 - external provisioner with volume available", { class: disks, others: [volume("v", { spec: { storageClassName: "gold" } })] }],
  [
    "11-23 - skip finding PV and provision for PVC annotated with AnnSelectedNode",
    {
      class: wait,
      claim: placed("node-1"),
      others: [node, volume("v", { spec: { storageClassName: "wait" } })],
      makes: true,
      events: [succeeded],
    },
  ],
  [
    "11-24 - skip finding PV and wait external provisioner for PVC annotated with AnnSelectedNode",
    {
      class: { ...wait, provisioner: "example.com/disks" },
      claim: placed("node-1"),
      others: [node],
      events: [external("example.com/disks")],
    },
  ],
  [
    "a node that is gone",
    { class: wait, claim: placed("node-9"), others: [node], events: [failed('Failed to get target node: node "node-9" not found')] },
  ],
  [
    "11-25 - failed in-tree provision with data source",
    {
      claim: claim("data", { class: "gold", spec: { dataSource: { kind: "VolumeSnapshot", name: "s" } } }),
      events: [failed(`plugin "${memory}" is not a CSI plugin. Only CSI plugin can provision a claim with a datasource`)],
    },
  ],
  [
    "11-26 - csi with data source",
    {
      class: disks,
      claim: claim("data", { class: "gold", spec: { dataSource: { kind: "VolumeSnapshot", name: "s" } } }),
      events: [external("example.com/disks")],
    },
  ],
  ["dynamic provisioning is off", { options: { dynamicProvisioning: false } }],
  [
    "a plugin that makes none",
    { plugins: [{ name: memory, supports: () => false }], events: [failed("no provisionable volume plugin matched")] },
  ],
  ["a claim that goes away", { claim: claim("data", { class: "gold", metadata: { deletionTimestamp: "2026-01-05T09:00:00Z" } }) }],
])("%s", async (_name, { claim: asked = asking, class: of = gold, others = [], plugins, options, makes, events = [] }) => {
  const world = new World({ objects: [asked, of, ...others], plugins: plugins ?? [memoryPlugin()], ...options })
  await world.provisionFor("data")
  expect(world.events).toEqual(events)
  if (makes) expect(world.volumes()).toContain("pvc-uid-data Pending data#uid-data byUs")
  else expect(world.operations.filter((operation) => operation.startsWith("create")).length).toBe(options?.refuse ? 1 : 0)
})

describe("what is made", () => {
  test("is bound from the first moment, says who made it, and is kept until it is deleted properly", async () => {
    const world = new World({ objects: [asking, gold], plugins: [memoryPlugin()] })
    await world.provisionFor("data")
    expect(world.object<PersistentVolume>("pvc-uid-data")).toMatchObject({
      metadata: {
        annotations: { "pv.kubernetes.io/provisioned-by": memory, "pv.kubernetes.io/bound-by-controller": "yes" },
        finalizers: ["kubernetes.io/pv-controller"],
      },
      spec: {
        persistentVolumeReclaimPolicy: "Delete",
        storageClassName: "gold",
        capacity: { storage: "1Gi" },
        claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "default", name: "data", uid: "uid-data" },
      },
    })
    expect(world.object("data")?.metadata.annotations).toMatchObject({
      "volume.kubernetes.io/storage-provisioner": memory,
      "volume.beta.kubernetes.io/storage-provisioner": memory,
    })
  })

  test("with Retain has no finalizer of ours", async () => {
    const world = new World({
      objects: [asking, storageClass("gold", { provisioner: memory, reclaimPolicy: "Retain" })],
      plugins: [memoryPlugin()],
    })
    await world.provisionFor("data")
    expect(world.object("pvc-uid-data")?.metadata.finalizers).toBeUndefined()
  })

  test("11-19 - provisioned volume saved but API server crashed: the next reconcile finds it", async () => {
    const world = new World({ objects: [asking, gold], plugins: [memoryPlugin()] })
    await world.provisionFor("data")
    const { length } = world.operations
    await world.provisionFor("data")
    expect(world.operations).toHaveLength(length)
    await world.lookAtClaim("data")
    expect([world.claims(), world.volumes()]).toEqual([
      ["data Bound pvc-uid-data 1Gi completed byUs"],
      ["pvc-uid-data Bound data#uid-data byUs"],
    ])
  })
})

test("where it fails the scheduler is asked for another node", async () => {
  const plugin = Object.assign(memoryPlugin(), { failure: broken("no room") })
  const world = new World({ objects: [placed("node-1"), wait, node], plugins: [plugin] })
  await world.provisionFor("data")
  expect(world.object("data")?.metadata.annotations?.[selectedNode]).toBeUndefined()
})

test("who waits for an external provisioner is appointed once, and told again with the next period", async () => {
  const world = new World({ objects: [asking, disks] })
  const first = await world.provisionFor("data")
  const second = await world.provisionFor("data")
  expect([first.steps.length, second.steps.length, second.requeue?.after]).toEqual([1, 0, "15s"])
})
