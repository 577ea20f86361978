import { configMaps } from "@pilothouse/api/core/v1"
import { createClient } from "@pilothouse/runtime"
import { parseManifests, readManifests } from "@pilothouse/runtime/manifests"
import { PilothouseError, VirtualClock, virtualFiles } from "@pilothouse/seams"
import { Command } from "commander"
import { expect, test } from "vitest"
import { addApplyCommand, applyManifests, manifestsOf } from "./apply.ts"
import { connectedCluster, printed } from "./testing/connection.ts"

const text = (data: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { ${data} }\n`

async function applyAll(documents: readonly string[]): Promise<{ readonly said: string; readonly data: unknown }> {
  await using connection = await connectedCluster({ controllers: [], nodes: 0 })
  const { print, text: said } = printed()
  for (const document of documents)
    await applyManifests(connection.client, parseManifests(document, "test"), { namespace: "default" }, (line) => print(`${line}\n`))
  return { said: said(), data: (await connection.client.get(configMaps, "default/settings")).data }
}

test("created, then unchanged, then configured; what is left out goes", async () => {
  const { said, data } = await applyAll([text("a: '1', b: '2'"), text("a: '1', b: '2'"), text("a: '3'")])
  expect(said).toBe("configmap/settings created\nconfigmap/settings unchanged\nconfigmap/settings configured\n")
  expect(data).toEqual({ a: "3" })
})

test("one that is refused does not keep the others back", async () => {
  const wrong = "apiVersion: v1\nkind: Cofnigmap\nmetadata: { name: x }\n---\n"
  const applied = applyAll([text("a: '1'"), `${wrong}${text("a: '2'")}`])
  await expect(applied).rejects.toThrow(
    "1 of 2 objects were refused:\ntest, document 1: expected a kind that the server has, found v1 Cofnigmap",
  )
})

test("a slip in a field is refused, not dropped", async () => {
  const slip = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndta: { a: '1' }\n"
  await expect(applyAll([slip])).rejects.toThrow('unknown field "dta"')
})

test.each([
  [["--force-conflicts"], "expected --server-side with --force-conflicts, found none; only the server knows of conflicts"],
  [["--server-side", "--field-manager="], "expected a name after --field-manager, found an empty one; leave the flag out for the default"],
])("apply with %j is refused before a server is asked", async (flags, words) => {
  const program = new Command().exitOverride()
  addApplyCommand(program)
  await expect(program.parseAsync(["apply", "-f", "nothing.yaml", ...flags], { from: "user" })).rejects.toThrow(words)
})

test("what was applied is remembered as kubectl writes it", async () => {
  await using connection = await connectedCluster({ controllers: [], nodes: 0 })
  await applyManifests(connection.client, parseManifests(text("b: '<'"), "test"), { namespace: "default" }, () => {})
  const { annotations } = (await connection.client.get(configMaps, "default/settings")).metadata
  expect(annotations?.["kubectl.kubernetes.io/last-applied-configuration"]).toBe(
    '{"apiVersion":"v1","data":{"b":"\\u003c"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"settings","namespace":"default"}}\n',
  )
})

test.each<[written: string, read: unknown]>([
  ["0400", 0o400],
  ["0o17", 0o17],
  ["0x1f", 31],
  ["400", 400],
  ["yes", true],
  ["off", false],
  ['"yes"', "yes"],
  ["2026-01-01", "2026-01-01"],
  ["1:30", "1:30"],
  ["1_000", 1000],
  ["~", null],
])("%s is what kubectl reads, as the mode of a file was not", (written, read) => {
  const [manifest] = parseManifests(`apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: { it: ${written} }`, "f")
  expect(manifest?.object).toMatchObject({ spec: { it: read } })
})

test("anchors are merged, as kubectl does", () => {
  const text = "apiVersion: v1\nkind: A\nmetadata: { name: a }\nfirst: &first { x: 1 }\nsecond: { <<: *first, z: 2 }"
  expect(parseManifests(text, "f")[0]?.object).toMatchObject({ second: { x: 1, z: 2 } })
})

test("lists are taken apart, empty documents skipped, JSON taken", () => {
  const list = JSON.stringify({ apiVersion: "v1", kind: "List", items: [{ apiVersion: "v1", kind: "A", metadata: { name: "a" } }] })
  expect(parseManifests(`---\n---\n${list}`, "f").map(({ object }) => object.kind)).toEqual(["A"])
})

test.each<[name: string, text: string, message: string]>([
  ["not YAML", "a: [", "expected YAML in f, document 1"],
  ["no kind", "apiVersion: v1\nmetadata: { name: a }", "found none of kind"],
  ["a bare word", "hello", "found none of apiVersion, kind, metadata.name"],
])("%s is refused with its place", (_name, document, message) => {
  expect(() => parseManifests(document, "f")).toThrow(message)
})

test("a directory gives its files in order; one without any, or none at all, is an error", () => {
  const files = virtualFiles(new VirtualClock())
  files.makeDirectory("/m", 0o700)
  const read = () => readManifests(files, "/m")
  expect(read).toThrow("expected .yaml, .yml or .json files in /m, found none")
  files.write("/m/b.yaml", "apiVersion: v1\nkind: B\nmetadata: { name: b }")
  files.write("/m/a.json", '{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}')
  files.write("/m/notes.txt", "not a manifest")
  expect(read().map(({ object, from }) => [object.kind, from])).toEqual([
    ["A", "/m/a.json, document 1"],
    ["B", "/m/b.yaml, document 1"],
  ])
  expect(() => readManifests(files, "/nowhere")).toThrow("expected a file or directory at /nowhere, found nothing")
})

const other = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings, namespace: other }\n"
const unnamed = "apiVersion: v1\nkind: ConfigMap\nmetadata: { generateName: settings- }\n"

test.each<[name: string, document: string, message: string]>([
  ["another namespace than --namespace says", other, "expected the namespace default of --namespace, found other in the object"],
  ["a name that is generated each time", unnamed, "expected metadata.name, found generateName alone"],
])("%s is refused, as kubectl does", async (_name, document, message) => {
  await using connection = await connectedCluster({ controllers: [], nodes: 0 })
  const { client } = connection
  const applied = applyManifests(client, parseManifests(document, "f"), { namespace: "default", isAsked: true }, () => {})
  await expect(applied).rejects.toThrow(`f, document 1: ${message}`)
  expect((await client.list(configMaps, { namespace: "default" })).items).toEqual([])
})

test("an address is answered with how to give it", async () => {
  await expect(manifestsOf(["https://example.com/web.yaml"])).rejects.toThrow(
    "pipe it: curl -sSL https://example.com/web.yaml | pilothouse apply -f -",
  )
})

test("a server that does not answer has refused nothing: what the connection says is reported once", async () => {
  let asked = 0
  const client = createClient(async () => {
    asked++
    throw new PilothouseError("CONNECTION_LOST", "could not connect to 127.0.0.1:1")
  })
  const applied = applyManifests(client, parseManifests(`${text("a: '1'")}---\n${text("a: '2'")}`, "f"), { namespace: "default" }, () => {})
  await expect(applied).rejects.toMatchObject({ code: "CONNECTION_LOST", message: "could not connect to 127.0.0.1:1" })
  // /api and /apis, for the first object only.
  expect(asked).toBe(2)
})
