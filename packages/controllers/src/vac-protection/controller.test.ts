import { conflict } from "@pilothouse/api"
import { persistentVolumeClaims, persistentVolumes } from "@pilothouse/api/core/v1"
import { volumeAttributesClasses } from "@pilothouse/api/storage/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { claim, volume } from "../persistent-volume/testing/objects.ts"
import { doubling, noting, refusing } from "../testing/layers.ts"
import { finalizer } from "./controller.ts"
import { volumeClass } from "./testing/classes.ts"

const only = { controllers: ["volumeattributesclass-protection-controller"] }

const volumeOf = (name: string, volumeAttributesClassName: string) => ({
  ...volume(name, { spec: { volumeAttributesClassName } }),
  metadata: { name },
  status: undefined,
})
const claimOf = (name: string, volumeAttributesClassName: string) => ({
  ...claim(name, { volume: "v", spec: { volumeAttributesClassName } }),
  metadata: { name, namespace: "default" },
  status: undefined,
})

async function isThere(running: Cluster): Promise<boolean> {
  await running.settled()
  return (await running.list(volumeAttributesClasses)).length === 1
}

test("an unused class is deleted at once", async () => {
  await using running = await cluster(only)
  await running.apply(volumeClass("gold"))
  await running.settled()
  expect((await running.client.get(volumeAttributesClasses, "gold")).metadata.finalizers).toEqual([finalizer])
  await running.client.delete(volumeAttributesClasses, "gold")
  expect(await isThere(running)).toBe(false)
})

test("a class that a volume names stays until the volume is gone", async () => {
  await using running = await cluster(only)
  for (const object of [volumeClass("gold"), volumeOf("v", "gold"), volumeOf("w", "silver")]) await running.apply(object)
  await running.settled()
  await running.client.delete(volumeAttributesClasses, "gold")
  await running.client.delete(persistentVolumes, "w")
  await running.advance("10m")
  expect(await isThere(running)).toBe(true)
  await running.client.delete(persistentVolumes, "v")
  expect(await isThere(running)).toBe(false)
})

test("a class stays until the claim neither requests it, nor has it, nor is changing to it", async () => {
  await using running = await cluster(only)
  for (const object of [volumeClass("gold"), claimOf("data", "gold")]) await running.apply(object)
  const statusIs = (status: object) => running.client.patch(persistentVolumeClaims, "default/data", { status }, { subresource: "status" })
  const target = (name: string) => ({ modifyVolumeStatus: { status: "InProgress", targetVolumeAttributesClassName: name } })
  await statusIs({ phase: "Bound", currentVolumeAttributesClassName: "gold", ...target("gold") })
  await running.settled()
  await running.client.delete(volumeAttributesClasses, "gold")
  expect(await isThere(running)).toBe(true)
  await running.client.patch(persistentVolumeClaims, "default/data", { spec: { volumeAttributesClassName: "silver" } })
  expect(await isThere(running)).toBe(true)
  await statusIs(target("silver"))
  expect(await isThere(running)).toBe(true)
  await statusIs({ currentVolumeAttributesClassName: "silver" })
  expect(await isThere(running)).toBe(false)
})

test("a refused write is tried again, and one write is enough otherwise, though every event comes twice", async () => {
  const writes: string[] = []
  let refusals = 3
  const failing = refusing(({ verb, path }) =>
    verb === "PUT" && path.includes("/volumeattributesclasses/") && refusals-- > 0
      ? conflict({ group: "storage.k8s.io", plural: "volumeattributesclasses" }, "gold", "another client was quicker")
      : undefined,
  )
  await using running = await cluster({ ...only, layer: (inner) => noting(writes)(failing(doubling()(inner))) })
  await running.apply(volumeClass("gold"))
  await running.advance("10s")
  expect((await running.client.get(volumeAttributesClasses, "gold")).metadata.finalizers).toEqual([finalizer])
  expect(writes.filter((write) => write.includes("volumeattributesclasses"))).toHaveLength(4)
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        for (const object of [volumeClass("gold"), volumeClass("silver"), claimOf("data", "gold")]) await running.apply(object)
        await running.advance("30s")
        await running.client.delete(volumeAttributesClasses, "gold")
        await running.advance("30s")
        await running.client.delete(persistentVolumeClaims, "default/data")
        await running.advance("60s")
      },
    },
    { sample: 10, seed: 5, writers: ["volumeattributesclass-protection-controller"] },
  )
  expect(report.tried).toBe(10)
})
