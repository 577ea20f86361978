import { keyOf } from "@pilothouse/api"
import { type ConfigMap, configMaps, type Namespace } from "@pilothouse/api/core/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test, vi } from "vitest"
import { configCopier } from "./controller.ts"

const options = { nodes: 0, controllers: [], extra: [configCopier] }

function settings(data: Record<string, string>, labels: Record<string, string> = { "copy-to-all": "true" }): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace: "default", labels }, data }
}

function namespace(name: string): Namespace {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } }
}

/** "team-a/settings": "blue", without those that every cluster has. */
async function colours(c: Cluster): Promise<Record<string, string | undefined>> {
  const found = (await c.list(configMaps)).filter(
    ({ metadata }) => metadata.name === "settings" && !metadata.namespace?.startsWith("kube-"),
  )
  return Object.fromEntries(found.map((map) => [keyOf(map), map.data?.colour]))
}

test("copies follow the original", async () => {
  await using c = await cluster(options)
  await c.apply(namespace("team-a"))
  await c.apply(settings({ colour: "blue" }))
  await c.settled()
  expect(await colours(c)).toEqual({ "default/settings": "blue", "team-a/settings": "blue" })
  await c.apply(settings({ colour: "green" }))
  await c.settled()
  expect(await colours(c)).toEqual({ "default/settings": "green", "team-a/settings": "green" })
})

test("a namespace that comes later gets its copy", async () => {
  await using c = await cluster(options)
  await c.apply(settings({ colour: "blue" }))
  await c.settled()
  await c.apply(namespace("team-a"))
  await c.settled()
  expect(await colours(c)).toMatchObject({ "team-a/settings": "blue" })
})

test("a copy that a user changes or deletes is put right", async () => {
  await using c = await cluster(options)
  await c.apply(namespace("team-a"))
  await c.apply(settings({ colour: "blue" }))
  await c.settled()
  await c.client.patch(configMaps, "team-a/settings", { data: { colour: "red" } })
  await c.settled()
  expect(await colours(c)).toMatchObject({ "team-a/settings": "blue" })
  await c.client.delete(configMaps, "team-a/settings")
  await c.settled()
  expect(await colours(c)).toMatchObject({ "team-a/settings": "blue" })
})

test("without the label, or without the original, there are no copies", async () => {
  await using c = await cluster(options)
  await c.apply(namespace("team-a"))
  await c.apply(settings({ colour: "blue" }))
  await c.settled()
  await c.apply(settings({ colour: "blue" }, { "copy-to-all": "false" }))
  await c.settled()
  expect(await colours(c)).toEqual({ "default/settings": "blue" })
  await c.apply(settings({ colour: "blue" }))
  await c.settled()
  await c.client.delete(configMaps, "default/settings")
  await c.settled()
  expect(await colours(c)).toEqual({})
})

test("a ConfigMap of the same name that is no copy is left alone", async () => {
  await using c = await cluster(options)
  await c.apply(namespace("team-a"))
  await c.apply({ ...settings({ colour: "theirs" }, {}), metadata: { name: "settings", namespace: "team-a" } })
  await c.apply(settings({ colour: "blue" }))
  await c.settled()
  expect(await colours(c)).toEqual({ "default/settings": "blue", "team-a/settings": "theirs" })
})

test("a crash at any API call changes nothing in the end", async () => {
  await crashPoints({
    cluster: options,
    async run(c) {
      await c.apply(namespace("team-a"))
      await c.apply(settings({ colour: "blue" }))
      await c.advance("1m")
      await c.apply(settings({ colour: "green" }))
      await c.advance("1m")
    },
  })
}, 300_000)

test("the program prints what happens and ends", async () => {
  const print = vi.spyOn(console, "log").mockImplementation(() => {})
  await import("./main.ts")
  const lines = print.mock.calls.map(([line]) => String(line))
  print.mockRestore()
  expect(lines).toContain("09:00 config-copier default/settings: create ConfigMap team-a/settings, because team-a has none: done")
  expect(lines).toContain(
    "09:00 config-copier default/settings: update ConfigMap team-a/settings, because it is not what default/settings is: done",
  )
  expect(lines.at(-1)).toBe("settings is in default")
})
