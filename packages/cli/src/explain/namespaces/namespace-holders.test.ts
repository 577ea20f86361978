import { configMaps, namespaces, secrets } from "@pilothouse/api/core/v1"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { sectionsOf } from "../answer/sections.ts"

async function stuck(names: readonly string[]) {
  await using making = new AsyncDisposableStack()
  const running = making.use(await cluster({ controllers: [], nodes: 0 }))
  const { client } = running
  await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "stuck" } })
  const of = (name: string, finalizers?: string[]) => ({ name, namespace: "stuck", ...(finalizers && { finalizers }) })
  await client.create(secrets, { apiVersion: "v1", kind: "Secret", metadata: of("free") })
  for (const name of names)
    await client.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: of(name, ["example.com/held", "example.com/too"]) })
  const made = making.move()
  const deletion = async () => {
    const sections = await sectionsOf(client, namespaces, await client.get(namespaces, "stuck"), { now: running.clock.now() })
    return sections.find(({ title }) => title === "Deletion")?.lines ?? []
  }
  return { client, deletion, [Symbol.asyncDispose]: () => made.disposeAsync() }
}

test("a namespace that stays names what holds it, and nothing before it is deleted", async () => {
  await using made = await stuck(["one"])
  expect(await made.deletion()).toEqual([])
  await made.client.delete(namespaces, "stuck")
  expect(await made.deletion()).toEqual(["asked for 0s ago", "configmap/one in it is held by example.com/held, example.com/too"])
})

test("of many the first are named and the others counted", async () => {
  await using made = await stuck(["a", "b", "c", "d", "e", "f", "g"])
  await made.client.delete(namespaces, "stuck")
  const lines = await made.deletion()
  expect(lines.slice(1).map((line) => line.split(" in it")[0])).toEqual([
    ...["a", "b", "c", "d", "e"].map((name) => `configmap/${name}`),
    "and 2 more objects with finalizers",
  ])
})
