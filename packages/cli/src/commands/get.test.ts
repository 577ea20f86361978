import { expect, test } from "vitest"
import { findAsked } from "../client/find-resource.ts"
import { type GetOptions, refuseContradictions } from "./get.ts"
import { printAsked } from "./get-print.ts"
import { connectedCluster, printed } from "./test-connection.ts"

const none = { controllers: [], nodes: 1 }

async function get(words: readonly string[], options: Partial<GetOptions> = {}): Promise<string> {
  await using connection = await connectedCluster(none)
  for (const name of ["one", "two"])
    await connection.cluster.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { app: name } } })
  const { print, text } = printed()
  await printAsked(connection.client, await findAsked(connection.client, words), { namespace: "default", ...options }, print)
  return text()
}

test("all of a kind, in the server's columns", async () => {
  expect(await get(["cm"])).toMatch(/^NAME +DATA +AGE\none +0 +\d+s\ntwo +0 +\d+s\n$/)
})

test("some by name", async () => {
  expect(await get(["configmaps", "two"])).toMatch(/^NAME +DATA +AGE\ntwo /)
  expect(await get(["configmap/one", "cm/two"], { output: "name" })).toBe("configmap/one\nconfigmap/two\n")
})

test("several kinds: a table each, with the kind before the name", async () => {
  const text = await get(["cm,nodes"], { selector: "app=one" })
  expect(text).toContain("configmap/one")
  expect(text).not.toContain("node/")
})

test("every namespace, with a column for it and one for the labels", async () => {
  expect(await get(["cm"], { allNamespaces: true, showLabels: true, selector: "app=two" })).toMatch(
    /^NAMESPACE +NAME +DATA +AGE +LABELS\ndefault +two +0 +\d+s +app=two\n$/,
  )
})

test("one as YAML, several as a List", async () => {
  expect(await get(["cm/one"], { output: "yaml" })).toMatch(/^kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: one\n/)
  expect(JSON.parse(await get(["cm"], { output: "json", selector: "app" }))).toMatchObject({
    kind: "List",
    items: [{ kind: "ConfigMap" }, {}],
  })
})

test("nothing there is said, with where it was looked for", async () => {
  expect(await get(["pods"])).toBe("No resources found in default namespace.\n")
})

test.each<[name: string, words: readonly string[], message: string]>([
  ["a slip", ["pds"], 'expected a resource that the server has, found "pds"; did you mean "pod'],
  ["nothing like it", ["spaceship"], '"pilothouse get --help" has examples'],
  ["no resource", [], 'expected a resource, such as "pods" or "deployment/web", found nothing'],
  ["no name after the slash", ["pods/"], 'expected kind/name, such as "deployment/web", found "pods/"'],
])("%s is answered with what to do", async (_name, words, message) => {
  await expect(get(words)).rejects.toThrow(message)
})

test("one that is not there is the server's refusal", async () => {
  await expect(get(["cm/three"])).rejects.toThrow('configmaps "three" not found')
})

test.each<[name: string, words: readonly string[], options: Partial<GetOptions>, message: string]>([
  ["a name in every namespace", ["cm", "one"], { allNamespaces: true }, "a resource cannot be retrieved by name across all namespaces"],
  ["a name with labels", ["cm/one"], { selector: "app=one" }, "name cannot be provided when a selector is specified"],
  ["a name with fields", ["cm/one"], { fieldSelector: "metadata.name=one" }, "name cannot be provided when a selector is specified"],
])("%s is refused as kubectl does", async (_name, words, options, message) => {
  await using connection = await connectedCluster(none)
  const asked = await findAsked(connection.client, words)
  expect(() => refuseContradictions(asked, options)).toThrow(message)
})

test.each<[name: string, words: readonly string[], options: Partial<GetOptions>]>([
  ["a node by name, wherever: it is in no namespace", ["nodes", "node-1"], { allNamespaces: true }],
  ["all with labels in every namespace", ["cm"], { allNamespaces: true, selector: "app=one" }],
  ["a name alone", ["cm", "one"], {}],
])("%s is no contradiction", async (_name, words, options) => {
  await using connection = await connectedCluster(none)
  const asked = await findAsked(connection.client, words)
  expect(() => refuseContradictions(asked, options)).not.toThrow()
})

test("a category showed what the server has in two versions twice", async () => {
  await using connection = await connectedCluster(none)
  const all = await findAsked(connection.client, ["all"])
  const scalers = all.filter(({ of }) => of.plural === "horizontalpodautoscalers").map(({ of }) => of.version)
  expect(scalers).toEqual(["v2"])
  expect(all.length).toBeGreaterThan(5)
})
