import { persistentVolumeClaims } from "@pilothouse/api/core/v1"
import type { Cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { noting } from "../testing/layers.ts"
import { claim, newFiles, start } from "./testing/cluster.ts"
import { storageClass, volume } from "./testing/objects.ts"

/** The writes of the binder alone, by what they are: "PUT volume", "PATCH claim/status". */
async function writesOf(act: (running: Cluster) => Promise<void>, before: (running: Cluster) => Promise<void>): Promise<readonly string[]> {
  const writes: string[] = []
  await using running = await start(newFiles(), { controllers: ["persistentvolume-binder"], layer: noting(writes) })
  await before(running)
  await running.advance("1m")
  writes.length = 0
  await act(running)
  await running.advance("10m")
  return writes.filter((write) => write.includes("persistentvolume") || write.includes("/events")).map(shortened)
}

function shortened(write: string): string {
  const [verb, path = ""] = write.split(" ")
  const what = path.includes("persistentvolumeclaims") ? "claim" : path.includes("persistentvolumes") ? "volume" : "event"
  return `${verb} ${what}${path.endsWith("/status") ? "/status" : ""}`
}

const { metadata: _metadata, status: _status, ...plain } = volume("v")
const offered = { ...plain, metadata: { name: "v" } }
const gold = storageClass("gold")

test("a binding is four writes, and nothing is written afterwards", async () => {
  const writes = await writesOf(
    async (running) => void (await running.apply(claim("data"))),
    async (running) => void (await running.apply(offered)),
  )
  expect(writes).toEqual(["PUT volume", "PATCH volume/status", "PUT claim", "PATCH claim/status"])
})

test("a volume that is made costs two more, and an event", async () => {
  const writes = await writesOf(
    async (running) => void (await running.apply(claim("data", { class: "gold" }))),
    async (running) => void (await running.apply(gold)),
  )
  expect(writes.filter((write) => write !== "POST event")).toEqual([
    "PUT claim",
    "POST volume",
    "PUT volume/status",
    "PUT claim",
    "PATCH claim/status",
  ])
  expect(writes.filter((write) => write === "POST event")).toHaveLength(1)
})

test("a volume that is deleted: its phase, its finalizer, itself", async () => {
  const writes = await writesOf(
    async (running) => void (await running.client.delete(persistentVolumeClaims, "default/data")),
    async (running) => {
      await running.apply(gold)
      await running.apply(claim("data", { class: "gold" }))
    },
  )
  expect(writes).toEqual(["PUT volume/status", "PUT volume", "DELETE volume"])
})

test("all is well: a restart writes nothing", async () => {
  const writes = await writesOf(
    (running) => running.restartControllers(),
    async (running) => {
      await running.apply(gold)
      await running.apply(offered)
      for (const one of [claim("data", { class: "gold" }), claim("static"), claim("more", { class: "gold" })]) await running.apply(one)
    },
  )
  expect(writes).toEqual([])
})
