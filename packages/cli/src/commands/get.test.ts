import { configMaps } from "@pilothouse/api/core/v1"
import { createClient } from "@pilothouse/runtime"
import { valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { findAsked } from "../client/find-resource.ts"
import { type GetOptions, parseOutput } from "../get/output.ts"
import { printAsked } from "../get/print.ts"
import { refuseContradictions } from "./get.ts"
import { connectedCluster, printed } from "./testing/connection.ts"

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
  expect(await get(["cm/one"], { output: "yaml" })).toMatch(
    /^apiVersion: v1\nkind: ConfigMap\nmetadata:\n {2}creationTimestamp: "[^"]+"\n {2}labels:\n {4}app: one\n {2}name: one\n/,
  )
  expect(JSON.parse(await get(["cm"], { output: "json", selector: "app" }))).toMatchObject({
    kind: "List",
    items: [{ kind: "ConfigMap" }, {}],
  })
})

test.each([
  [{}, 0],
  [{ showManagedFields: true }, 1],
])("the managers of fields are hidden by default: %j", async (options, count) => {
  await using connection = await connectedCluster({ ...none, managedFields: true })
  await connection.cluster.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one", labels: { app: "one" } } })
  const { print, text } = printed()
  const asked = await findAsked(connection.client, ["cm/one"])
  await printAsked(connection.client, asked, { namespace: "default", output: "json", ...options }, print)
  const { metadata } = JSON.parse(text()) as { metadata: { managedFields?: readonly unknown[] } }
  expect(metadata.managedFields ?? []).toHaveLength(count)
})

test.each([
  ["jsonpath={.items[*].metadata.name}", ["cm"], "one two"],
  ['jsonpath={range .items[*]}{.metadata.name}{"\\n"}{end}', ["cm"], "one\ntwo\n"],
  ['jsonpath={.items[?(@.metadata.labels.app=="two")].metadata.name}', ["cm"], "two"],
  ["jsonpath={.metadata.labels.app}", ["cm/one"], "one"],
  ["jsonpath={.data.nothing}", ["cm/one"], ""],
  ["jsonpath-as-json={.metadata.labels}", ["cm/one"], '[\n    {\n        "app": "one"\n    }\n]\n'],
  [
    "custom-columns=NAME:.metadata.name,APP:metadata.labels.app,DATA:{.data}",
    ["cm"],
    "NAME   APP   DATA\none    one   <none>\ntwo    two   <none>\n",
  ],
  ["custom-columns=LABELS:.metadata.labels", ["cm/two"], "LABELS\nmap[app:two]\n"],
])("-o %s of %j", async (output, words, expected) => {
  expect(await get(words, { output: parseOutput(output), selector: words[0] === "cm" ? "app" : undefined })).toBe(expected)
})

test.each([
  ["jsonpath={.a", "error parsing jsonpath {.a, unclosed action"],
  ["custom-columns=", "custom-columns format specified but no custom columns given"],
  ["custom-columns=NAME", "unexpected custom-columns spec: NAME, expected <header>:<json-path-expr>"],
  ["custom-columns=NAME:{.a}{.b}", "unexpected path string"],
  ["yml", 'found "yml"; did you mean "yaml"'],
])("-o %s is refused", (output, message) => {
  expect(() => parseOutput(output)).toThrow(message)
})

test("a template that cannot be followed is an error that shows it", async () => {
  const output = parseOutput("jsonpath={.metadata[0]}")
  await expect(get(["cm/one"], { output })).rejects.toThrow(
    'error executing jsonpath "{.metadata[0]}": map[string]interface {} is not array or slice',
  )
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

test("a script took the sentence for a name; of nothing no name is printed, and what is for people goes elsewhere", async () => {
  await using connection = await connectedCluster(none)
  const asked = await findAsked(connection.client, ["pods"])
  const [out, people] = [printed(), printed()]
  for (const output of [undefined, "name"] as const)
    await printAsked(connection.client, asked, { namespace: "default", output }, out.print, people.print)
  expect([out.text(), people.text()]).toEqual(["", "No resources found in default namespace.\n"])
})

test.each<[output: GetOptions["output"], shown: RegExp]>([
  [undefined, /^NAME +DATA +AGE\none +0 +\d+s\n$/],
  ["name", /^configmap\/one\n$/],
  ["json", /"kind": "List",\n +"items": \[\n[^]* "name": "one"/],
])("one of several that is not there hid the others (%s)", async (output, shown) => {
  await using connection = await connectedCluster(none)
  await connection.cluster.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } })
  const { print, text } = printed()
  const asked = await findAsked(connection.client, ["cm", "none", "one", "nothing"])
  const printing = printAsked(connection.client, asked, { namespace: "default", output }, print)
  await expect(printing).rejects.toThrow('configmaps "none" not found\nconfigmaps "nothing" not found')
  expect(text()).toMatch(shown)
})

test("texts that kubectl would read as something else were printed without quotes, and who manages which field with them", async () => {
  const one = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "one", managedFields: [{ manager: "kubectl" }] },
    data: { a: "yes", b: "on", c: "0644", d: "1e3", e: "null", f: "2026-01-01", g: "plain" },
  }
  const client = createClient(async ({ path }) => ({ status: 200, headers: {}, body: valueBody(path.endsWith("/one") ? one : {}) }))
  const { print, text } = printed()
  await printAsked(client, [{ of: configMaps, names: ["one"] }], { namespace: "default", output: "yaml" }, print)
  expect(text()).toBe(
    [
      "apiVersion: v1",
      "data:",
      ...['a: "yes"', 'b: "on"', 'c: "0644"', 'd: "1e3"', 'e: "null"', 'f: "2026-01-01"', "g: plain"].map((line) => `  ${line}`),
      "kind: ConfigMap",
      "metadata:",
      "  name: one",
      "",
    ].join("\n"),
  )
})

test("one that is not there is the server's refusal", async () => {
  await expect(get(["cm/three"])).rejects.toThrow('configmaps "three" not found')
  await expect(get(["cm/noe"])).rejects.toThrow('configmaps "noe" not found; did you mean "one"?')
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
