import { configMaps } from "@pilothouse/api/core/v1"
import { createClient } from "@pilothouse/runtime"
import { parseManifests } from "@pilothouse/runtime/manifests"
import { valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { deleteAll } from "../client/delete-objects.ts"
import { doomedOf, findDoomed } from "./delete.ts"
import { connectedCluster } from "./testing/connection.ts"

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

test("by name, by labels, or all of them; each is printed", async () => {
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
  await expect(started.remove(["cm/none"])).rejects.toThrow('configmaps "none" not found; did you mean "one"?')
  expect(await started.remove(["cm/none"], { ignoreNotFound: true })).toEqual([])
})

test.each([{ all: true }, { selector: "app" }])("what goes with its owner before its turn comes is no failure of %o", async (options) => {
  await using started = await start()
  const found = await findDoomed(started.client, ["cm"], { wait: true, namespace: "default", ...options })
  await started.client.delete(configMaps, "default/two")
  const said: string[] = []
  await deleteAll(started.client, found, { wait: true }, (line) => said.push(line))
  expect(said).toEqual(["configmap/one deleted"])
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

test("does not wait for a later object of the same name that is there before the first poll", async () => {
  const [uids, asked] = [["second", "second"], [] as string[]]
  const named = (uid: string | undefined) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one", namespace: "default", uid } })
  const client = createClient(async ({ verb }) => {
    asked.push(verb)
    return { status: 200, headers: {}, body: valueBody(named(verb === "DELETE" ? "first" : uids.shift())) }
  })
  await deleteAll(client, [{ of: configMaps, name: "one", namespace: "default" }], { wait: true }, () => {})
  expect(asked).toEqual(["DELETE", "GET"])
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

const document = (kind: string, metadata: string) => `apiVersion: v1\nkind: ${kind}\nmetadata: ${metadata}\n---\n`

test.each<[name: string, document: string, message: string]>([
  ["no kind of the server", document("Cofnigmap", "{ name: x }"), "expected a kind that the server has, found v1 Cofnigmap"],
  ["not there", document("ConfigMap", "{ name: none }"), 'configmaps "none" not found'],
  ["without a name", document("ConfigMap", "{ generateName: x- }"), "expected metadata.name to say which to delete, found none"],
])("one of a file that is %s does not keep the others, and is named with its place", async (_name, wrong, message) => {
  await using started = await start()
  const text = `${document("ConfigMap", "{ name: one }")}${wrong}${document("ConfigMap", "{ name: two }")}`
  const said: string[] = []
  const asked = await doomedOf(started.client, parseManifests(text, "f.yaml"), { namespace: "default" })
  const deleted = deleteAll(started.client, asked, { wait: true }, (line) => said.push(line))
  await expect(deleted).rejects.toThrow(`1 of 3 objects were not deleted:\nf.yaml, document 2: ${message}`)
  expect(said).toEqual(["configmap/one deleted", "configmap/two deleted"])
  expect(await started.left()).toEqual([])
})

test("refuses to delete an object of a file whose namespace is not that of --namespace", async () => {
  await using started = await start()
  const text = document("ConfigMap", "{ name: one, namespace: default }")
  const asked = await doomedOf(started.client, parseManifests(text, "f.yaml"), { namespace: "other", isAsked: true })
  const deleted = deleteAll(started.client, asked, { wait: true }, () => {})
  await expect(deleted).rejects.toThrow("f.yaml, document 1: expected the namespace other of --namespace, found default in the object")
  expect(await started.left()).toEqual(["one", "two"])
})

test("of several names the good ones go too", async () => {
  await using started = await start()
  await expect(started.remove(["cm", "none", "one"])).rejects.toThrow('1 of 2 objects were not deleted:\nconfigmaps "none" not found')
  expect(await started.left()).toEqual(["two"])
})
