import { conflict } from "@pilothouse/api"
import { persistentVolumes } from "@pilothouse/api/core/v1"
import { cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { volume as fullVolume } from "../persistent-volume/testing/objects.ts"
import { doubling, noting, refusing } from "../testing/layers.ts"

const only = { controllers: ["pv-protection"] }

function volume(name: string) {
  return { ...fullVolume(name), metadata: { name }, status: undefined }
}

async function setPhase(running: Awaited<ReturnType<typeof cluster>>, name: string, phase: string): Promise<void> {
  await running.client.patch(persistentVolumes, name, { status: { phase } }, { subresource: "status" })
  await running.settled()
}

test("a volume that is deleted goes as soon as no claim has it", async () => {
  await using running = await cluster(only)
  await running.apply(volume("v"))
  await running.settled()
  expect((await running.client.get(persistentVolumes, "v")).metadata.finalizers).toEqual(["kubernetes.io/pv-protection"])
  await setPhase(running, "v", "Bound")
  await running.client.delete(persistentVolumes, "v")
  await running.advance("10m")
  expect(await running.list(persistentVolumes)).toHaveLength(1)
  await setPhase(running, "v", "Released")
  expect(await running.list(persistentVolumes)).toEqual([])
})

test("saving fails -> controller retries, and one write is enough otherwise, though every event comes twice", async () => {
  const writes: string[] = []
  let refusals = 3
  const failing = refusing(({ verb, path }) =>
    verb === "PUT" && path.includes("/persistentvolumes/") && refusals-- > 0
      ? conflict({ group: "", plural: "persistentvolumes" }, "v", "another client was quicker")
      : undefined,
  )
  await using running = await cluster({ ...only, layer: (inner) => noting(writes)(failing(doubling()(inner))) })
  await running.apply(volume("v"))
  await running.advance("10s")
  expect((await running.client.get(persistentVolumes, "v")).metadata.finalizers).toEqual(["kubernetes.io/pv-protection"])
  expect(writes.filter((write) => write.includes("persistentvolumes"))).toHaveLength(4)
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        for (const name of ["v", "w"]) await running.apply(volume(name))
        await running.advance("30s")
        await running.client.delete(persistentVolumes, "v")
        await running.advance("60s")
      },
    },
    { sample: 10, seed: 5, writers: ["persistentvolume-protection-controller"] },
  )
  expect(report.tried).toBe(10)
})
