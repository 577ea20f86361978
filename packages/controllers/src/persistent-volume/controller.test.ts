import { type PersistentVolume, persistentVolumeClaims, persistentVolumes, pods } from "@pilothouse/api/core/v1"
import type { Cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { claim, claims, newFiles, root, start, told, volumes } from "./testing/cluster.ts"
import { volume as fullVolume, isDefault, podWith, storageClass, type VolumeOptions } from "./testing/objects.ts"

/** As a person would write it. */
function volume(name: string, options: VolumeOptions = {}): PersistentVolume {
  const { apiVersion, kind, metadata, spec } = fullVolume(name, options)
  const { labels, annotations } = metadata
  return { apiVersion, kind, metadata: { name, ...(labels && { labels }), ...(annotations && { annotations }) }, spec }
}

async function applied(running: Cluster, ...objects: readonly Parameters<Cluster["apply"]>[0][]): Promise<void> {
  for (const object of objects) {
    await running.apply(object)
    await running.settled()
  }
}

const gold = storageClass("gold")

describe("claims and volumes that people make", () => {
  const [asked, offered] = [claim("data"), volume("v")]
  test.each([
    ["the volume first", [offered, asked]],
    ["the claim first", [asked, offered]],
  ])("find each other at once: %s", async (_name, objects) => {
    await using running = await start(newFiles())
    await applied(running, ...objects)
    expect([await claims(running), await volumes(running)]).toEqual([["data Bound"], ["v Bound data"]])
    const { metadata, spec, status } = await running.client.get(persistentVolumeClaims, "default/data")
    expect(metadata.annotations).toEqual({ "pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes" })
    expect([spec?.volumeName, status?.capacity, status?.accessModes]).toEqual(["v", { storage: "1Gi" }, ["ReadWriteOnce"]])
    const bound = await running.client.get(persistentVolumes, "v")
    expect(bound.spec?.claimRef).toMatchObject({ namespace: "default", name: "data", uid: metadata.uid })
  })

  test("10-1, 10-2 - two claims and one volume: one gets it, the other waits and gets the next", async () => {
    await using running = await start(newFiles())
    await running.apply(claim("a"))
    await running.apply(claim("b"))
    await applied(running, volume("v"))
    expect((await claims(running)).map((text) => text.split(" ")[1]).sort()).toEqual(["Bound", "Pending"])
    await applied(running, volume("w"))
    expect(await claims(running)).toEqual(["a Bound", "b Bound"])
    expect((await volumes(running)).map((text) => text.slice(0, 7))).toEqual(["v Bound", "w Bound"])
  })

  test("a claim waits for the volume it names, and for nothing else", async () => {
    await using running = await start(newFiles())
    await applied(running, claim("data", { volume: "mine" }), volume("other"))
    expect(await claims(running)).toEqual(["data Pending"])
    await applied(running, volume("mine"))
    expect(await volumes(running)).toEqual(["mine Bound data", "other Available"])
  })

  test("a reserved volume waits for its own claim only", async () => {
    await using running = await start(newFiles())
    await applied(running, volume("mine", { for: "data" }), claim("other"))
    expect([await claims(running), await volumes(running)]).toEqual([["other Pending"], ["mine Available data"]])
    await applied(running, claim("data"))
    expect(await volumes(running)).toEqual(["mine Bound data"])
  })

  test("a retained volume is Released, keeps its content, and is not bound again", async () => {
    const files = newFiles()
    files.write(`${root}/v/file`, "x")
    await using running = await start(files)
    await applied(running, volume("v"), claim("data"))
    await running.client.delete(persistentVolumeClaims, "default/data")
    await running.settled()
    await applied(running, claim("data"))
    expect([await claims(running), await volumes(running)]).toEqual([["data Pending"], ["v Released data"]])
    expect(files.list(`${root}/v`)).toEqual(["file"])
    // A person has looked at it, and gives it back.
    await running.client.patch(persistentVolumes, "v", { spec: { claimRef: null } })
    await running.settled()
    expect(await claims(running)).toEqual(["data Bound"])
  })

  test("what is recycled is scrubbed and given to the next", async () => {
    const files = newFiles()
    for (const name of ["file", "sub/file", ".hidden"]) files.write(`${root}/v/${name}`, "x")
    await using running = await start(files)
    await applied(running, volume("v", { spec: { persistentVolumeReclaimPolicy: "Recycle" } }), claim("first"), claim("second"))
    expect(await claims(running)).toEqual(["first Bound", "second Pending"])
    await running.client.delete(persistentVolumeClaims, "default/first")
    await running.settled()
    expect(await claims(running)).toEqual(["second Bound"])
    expect([files.list(root), files.list(`${root}/v`)]).toEqual([["v"], []])
    expect(await told(running)).toContain("VolumeRecycled: Volume recycled")
  })

  test("a foreign directory is never scrubbed or deleted: the volume fails and says why", async () => {
    const files = newFiles()
    files.write("/etc/passwd", "x")
    await using running = await start(files)
    const foreign = { hostPath: { path: "/etc" } }
    await applied(running, volume("a", { spec: { ...foreign, persistentVolumeReclaimPolicy: "Recycle" } }), claim("one"))
    await applied(running, volume("b", { spec: { ...foreign, persistentVolumeReclaimPolicy: "Delete" } }), claim("two"))
    for (const name of ["one", "two"]) await running.client.delete(persistentVolumeClaims, `default/${name}`)
    await running.advance("10m")
    expect(await volumes(running)).toEqual(["a Failed one", "b Failed two"])
    expect((await running.client.get(persistentVolumes, "b")).status?.message).toContain(`expected a path below ${root}, found "/etc"`)
    expect(files.list("/etc")).toEqual(["passwd"])
  })
})

describe("volumes that are made", () => {
  test("have a directory while the claim is there, and none afterwards", async () => {
    const files = newFiles()
    await using running = await start(files)
    await applied(running, gold, claim("data", { class: "gold", size: "3Gi" }))
    const { metadata, spec } = await running.client.get(persistentVolumeClaims, "default/data")
    expect([await claims(running), await volumes(running)]).toEqual([["data Bound"], ["made Bound data"]])
    expect([spec?.volumeName, files.list(root)]).toEqual([`pvc-${metadata.uid}`, [`pvc-${metadata.uid}`]])
    expect(await told(running)).toEqual(["ProvisioningSucceeded: Successfully provisioned volume made using kubernetes.io/host-path"])
    files.write(`${root}/pvc-${metadata.uid}/file`, "x")
    await running.client.delete(persistentVolumeClaims, "default/data")
    await running.settled()
    expect([await claims(running), await volumes(running), files.list(root)]).toEqual([[], [], []])
  })

  test("with the class' policy Retain stay, with what is in them", async () => {
    const files = newFiles()
    await using running = await start(files)
    await applied(running, storageClass("gold", { reclaimPolicy: "Retain" }), claim("data", { class: "gold" }))
    await running.client.delete(persistentVolumeClaims, "default/data")
    await running.advance("10m")
    expect([await volumes(running), files.list(root).length]).toEqual([["made Released data"], 1])
  })

  test("a class that comes later helps those who wait for it, and a default one those who chose none", async () => {
    await using running = await start(newFiles())
    await applied(running, claim("one", { class: "gold" }), claim("two"))
    expect(await claims(running)).toEqual(["one Pending", "two Pending"])
    await applied(running, storageClass("gold", { metadata: { name: "gold", annotations: isDefault } }))
    expect(await claims(running)).toEqual(["one Bound", "two Bound"])
    expect((await running.client.get(persistentVolumeClaims, "default/two")).spec?.storageClassName).toBe("gold")
  })

  test("wait for the first consumer: an event says so until the scheduler has chosen a node", async () => {
    await using running = await start(newFiles())
    await applied(running, storageClass("late", { volumeBindingMode: "WaitForFirstConsumer" }), claim("data", { class: "late" }))
    expect(await told(running)).toEqual(["WaitForFirstConsumer: waiting for first consumer to be created before binding"])
    await running.advance("1m")
    expect([await claims(running), await volumes(running)]).toEqual([["data Pending"], []])
    await running.client.patch(persistentVolumeClaims, "default/data", {
      metadata: { annotations: { "volume.kubernetes.io/selected-node": "node-1" } },
    })
    await running.settled()
    expect([await claims(running), await volumes(running)]).toEqual([["data Bound"], ["made Bound data"]])
  })

  test("12-2, 12-4 - by an external provisioner: the claim is annotated, and bound as soon as the volume exists", async () => {
    await using running = await start(newFiles())
    await applied(running, storageClass("disks", { provisioner: "example.com/disks" }), claim("data", { class: "disks" }))
    const { metadata } = await running.client.get(persistentVolumeClaims, "default/data")
    expect(metadata.annotations?.["volume.kubernetes.io/storage-provisioner"]).toBe("example.com/disks")
    expect((await told(running))[0]).toMatch(/^ExternalProvisioning: Waiting for a volume to be created either by the external provisioner/)
    const theirs = volume("theirs", {
      for: `data#${metadata.uid}`,
      metadata: { annotations: { "pv.kubernetes.io/provisioned-by": "example.com/disks" } },
      spec: { storageClassName: "disks", persistentVolumeReclaimPolicy: "Delete" },
    })
    await applied(running, theirs)
    expect([await claims(running), await volumes(running)]).toEqual([["data Bound"], ["theirs Bound data"]])
    await running.client.delete(persistentVolumeClaims, "default/data")
    await running.advance("10m")
    expect(await volumes(running)).toEqual(["theirs Released data"])
  })

  test("TestDisablingDynamicProvisioner: with --enable-dynamic-provisioning=false none is made", async () => {
    await using running = await start(newFiles(), { settings: { "enable-dynamic-provisioning": false } })
    await applied(running, gold, claim("data", { class: "gold" }))
    expect([await claims(running), await volumes(running), await told(running)]).toEqual([["data Pending"], [], []])
  })

  test("without --enable-hostpath-provisioner the claim says why it waits", async () => {
    await using running = await start(newFiles(), { settings: { "enable-hostpath-provisioner": false } })
    await applied(running, gold, claim("data", { class: "gold" }))
    const why = 'Failed to create provisioner: provisioning in volume plugin "kubernetes.io/host-path" is disabled'
    expect(await told(running)).toEqual([`ProvisioningFailed: ${why}`])
  })

  test("a block volume that no directory can be is refused in an event, and tried again without haste", async () => {
    const files = newFiles()
    await using running = await start(files)
    await applied(running, gold, claim("data", { class: "gold", spec: { volumeMode: "Block" } }))
    await running.advance("1m")
    const why = 'Failed to provision volume with StorageClass "gold": kubernetes.io/host-path does not support block volume provisioning'
    expect([await claims(running), await told(running), files.list(root)]).toEqual([["data Pending"], [`ProvisioningFailed: ${why}`], []])
  })

  test("without a configured root there are no host-path volumes", async () => {
    await using running = await start(newFiles(), { needs: { volumeRoot: undefined } })
    await applied(running, gold, claim("data", { class: "gold" }))
    expect(await told(running)).toEqual(["ProvisioningFailed: no volume plugin matched name: kubernetes.io/host-path"])
  })

  test("plans and traces show what the plugin did", async () => {
    await using running = await start(newFiles())
    await applied(running, gold, claim("data", { class: "gold" }))
    const done = running.trace.entries().flatMap(({ results }) => results.map(({ operation }) => operation))
    expect(done.find((operation) => operation.do === "provision-volume")).toMatchObject({
      to: expect.stringContaining("by kubernetes.io/host-path"),
      reason: "no volume fits default/data, and its class gold provisions them",
    })
  })
})

describe("what is lost", () => {
  test("a volume that is deleted stays while a claim has it", async () => {
    await using running = await start(newFiles())
    await applied(running, volume("v"), claim("data"))
    await running.client.delete(persistentVolumes, "v")
    await running.settled()
    expect(await volumes(running)).toEqual(["v Bound data"])
    await running.client.delete(persistentVolumeClaims, "default/data")
    await running.settled()
    expect(await volumes(running)).toEqual([])
  })

  test("a claim whose volume was torn away is Lost, and says so once", async () => {
    await using running = await start(newFiles())
    await applied(running, volume("v"), claim("data"))
    await running.client.patch(persistentVolumes, "v", { metadata: { finalizers: ["example.com/mine"] } })
    await running.client.delete(persistentVolumes, "v")
    await running.client.patch(persistentVolumes, "v", { metadata: { finalizers: null } })
    await running.advance("10m")
    expect([await claims(running), await volumes(running)]).toEqual([["data Lost"], []])
    expect(await told(running)).toEqual(["ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!"])
  })

  test("a claim that a pod uses stays, and its volume with it, until the pod has gone", async () => {
    const files = newFiles()
    await using running = await start(files)
    await applied(running, gold, claim("data", { class: "gold" }), podWith("web", "data"))
    await running.client.delete(persistentVolumeClaims, "default/data")
    await running.settled()
    expect([await claims(running), files.list(root).length]).toEqual([["data Bound"], 1])
    await running.client.delete(pods, "default/web")
    await running.settled()
    expect([await claims(running), await volumes(running), files.list(root)]).toEqual([[], [], []])
  })
})
