import { configMaps } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { deleteAll, findDoomed } from "./delete.ts"
import { connectedCluster } from "./test-connection.ts"

/** A cluster with the ConfigMaps one and two, and the delete command on it. */
async function start() {
  const connection = await connectedCluster({ controllers: [], nodes: 0 })
  for (const name of ["one", "two"])
    await connection.cluster.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { app: name } } })
  const remove = async (words: readonly string[], options: object = {}) => {
    const given = { wait: true, namespace: "default", ...options }
    const said: string[] = []
    await deleteAll(connection.client, await findDoomed(connection.client, words, given), given, (line) => said.push(line))
    return said
  }
  const left = async () => (await connection.cluster.list(configMaps, { namespace: "default" })).map(({ metadata }) => metadata.name)
  return { remove, left, client: connection.client, [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose]() }
}

test("by name, by labels, or all of them; each is told", async () => {
  await using started = await start()
  expect(await started.remove(["cm/one"])).toEqual(["configmap/one deleted"])
  expect(await started.remove(["cm"], { selector: "app=one" })).toEqual(["No resources found"])
  expect(await started.remove(["cm"], { all: true })).toEqual(["configmap/two deleted"])
  expect(await started.left()).toEqual([])
})

test("a kind alone deletes nothing: it has to be said which", async () => {
  await using started = await start()
  await expect(started.remove(["cm"])).rejects.toThrow("expected a name, --selector or --all to say which cm to delete")
  expect(await started.left()).toEqual(["one", "two"])
})

test("one that is not there is an error, unless it may be missing", async () => {
  await using started = await start()
  await expect(started.remove(["cm/none"])).rejects.toThrow('configmaps "none" not found')
  expect(await started.remove(["cm/none"], { ignoreNotFound: true })).toEqual([])
})

test("it waits until the object is really gone", async () => {
  await using started = await start()
  await started.client.patch(configMaps, "default/one", { metadata: { finalizers: ["example.com/hold"] } })
  let gone = false
  const removed = started.remove(["cm/one"]).then(() => (gone = true))
  await expect.poll(async () => (await started.client.get(configMaps, "default/one")).metadata.deletionTimestamp).toBeDefined()
  expect(gone).toBe(false)
  await started.client.patch(configMaps, "default/one", { metadata: { finalizers: [] } })
  await removed
  expect(await started.left()).toEqual(["two"])
})

test.each<[name: string, words: readonly string[], options: object, message: string]>([
  ["a name and all", ["cm", "one"], { all: true }, "expected names or --all, found both; nothing was deleted"],
  ["a name and labels", ["cm/one"], { selector: "app=two" }, "expected names or --selector, found both"],
  ["all and labels", ["cm"], { all: true, selector: "app=two" }, "expected --all or --selector, found both"],
  ["a file and a name", ["cm/one"], { filename: ["-"] }, "expected --filename or resources, found both"],
  ["a file and all", [], { filename: ["-"], all: true }, "expected --filename or --all, found both"],
])("%s is refused, and nothing deleted", async (_name, words, options, message) => {
  await using started = await start()
  await expect(started.remove(words, options)).rejects.toMatchObject({ code: "USAGE", message: expect.stringContaining(message) })
  expect(await started.left()).toEqual(["one", "two"])
})
