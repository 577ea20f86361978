// npm run test:real -- crd-openapi: definitions that use everything a schema can say are made on the real API server and on ours; the documents of
// OpenAPI v3 and v2 must describe them in the same way.
import { setTimeout as delay } from "node:timers/promises"
import type { ApiClient } from "../api-client.ts"
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import { differences } from "../shapes/differences.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import { definitions } from "./definitions.ts"

export const suite: Suite = {
  skipReason: needsKubernetes,
  run,
}

type Json = Readonly<Record<string, unknown>>

interface Documents {
  /** By group version: "apis/example.com/v1". */
  readonly v3: Readonly<Record<string, Document>>
  readonly v2: Document
}

/** The parts that are compared, under the same names for both versions. */
interface Document {
  readonly head: Json
  readonly paths: Json
  readonly schemas: Json
}

const groupVersions = [
  ...new Set(
    definitions.flatMap(({ spec }) => spec.versions.filter(({ served }) => served).map(({ name }) => `apis/${spec.group}/${name}`)),
  ),
].sort()

async function run({ tally }: SuiteContext): Promise<void> {
  await using real = await startControlPlane()
  await using ours = await startOurApiServer()
  const [theirs, own] = await Promise.all([published(real.client), published(ours.client)])
  await tally.group("documents of OpenAPI v3", async (group) => {
    for (const path of groupVersions) compareDocuments(group, path, theirs.v3[path], own.v3[path])
  })
  await tally.group("the document of OpenAPI v2", async (group) => compareDocuments(group, "v2", theirs.v2, own.v2))
}

type Group = Parameters<Parameters<SuiteContext["tally"]["group"]>[1]>[0]

function compareDocuments(group: Group, title: string, theirs: Document | undefined, own: Document | undefined): void {
  group.case(`${title} head`, difference(theirs?.head, own?.head))
  for (const part of ["paths", "schemas"] as const) {
    const [expected = {}, found = {}] = [theirs?.[part], own?.[part]]
    for (const name of [...new Set([...Object.keys(expected), ...Object.keys(found)])].sort())
      group.case(`${title} ${name}`, difference(expected[name], found[name]))
  }
}

function difference(theirs: unknown, own: unknown): string | undefined {
  return differences(theirs, own).join("\n") || undefined
}

/** Makes the definitions and reads the documents once all of them are there: the real server publishes them a moment later. */
async function published(client: ApiClient): Promise<Documents> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
  await Promise.all(definitions.map((body) => client.object({ verb: "POST", path, body })))
  for (let attempt = 0; attempt < 100; attempt++) {
    const v2 = await json(client, "/openapi/v2")
    const v3 = await Promise.all(groupVersions.map((path) => json(client, `/openapi/v3/${path}`)))
    const names = v3.map((document) => Object.keys((document.components as { schemas: Json } | undefined)?.schemas ?? {}))
    if (isComplete(Object.keys((v2.definitions as Json | undefined) ?? {})) && isComplete(names.flat())) {
      const documents = v3.map((document, index) => [groupVersions[index]!, comparableV3(document)])
      return { v3: Object.fromEntries(documents), v2: comparableV2(v2) }
    }
    await delay(200)
  }
  throw new Error("expected the documents of all definitions after 20 s, found some of them")
}

/** Whether the types of every definition are among these names. */
function isComplete(names: readonly string[]): boolean {
  const known = new Set(names)
  return definitions.every(({ spec }) =>
    spec.versions.every(
      ({ name, served }) => !served || known.has(`${spec.group.split(".").toReversed().join(".")}.${name}.${spec.names.kind}`),
    ),
  )
}

async function json(client: ApiClient, path: string): Promise<Json> {
  const { status, bytes } = await client.send({ verb: "GET", path })
  return status === 200 ? (JSON.parse(bytes.toString()) as Json) : {}
}

function comparableV3({ paths, components, ...head }: Json): Document {
  const { schemas } = components as { readonly schemas: Json }
  return { head, paths: withoutTexts(paths) as Json, schemas: ownTypes(schemas) }
}

/** The real server gives parameters that many operations have a place of their own. */
function comparableV2({ paths, definitions: schemas, parameters = {} }: Json): Document {
  const own = Object.entries(paths as Json).filter(([path]) => groupVersions.some((one) => path.startsWith(`/${one}/`)))
  return { head: {}, paths: withoutTexts(Object.fromEntries(own), parameters as Json) as Json, schemas: ownTypes(schemas as Json) }
}

/** Of the types of Kubernetes itself, which have suites of their own, only that they are there. */
function ownTypes(schemas: Json): Json {
  const own = Object.entries(schemas).filter(([name]) => !name.startsWith("io.k8s."))
  return Object.fromEntries(own)
}

/** What parameters are for is not said by ours. */
function withoutTexts(value: unknown, shared: Json = {}): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item, shared))
  if (typeof value !== "object" || value === null) return value
  const { $ref } = value as { readonly $ref?: string }
  if ($ref?.startsWith("#/parameters/")) return withoutTexts(shared[$ref.slice("#/parameters/".length)], shared)
  const { description, ...rest } = value as Json
  const shown = "in" in value ? rest : value
  return Object.fromEntries(Object.entries(shown).map(([name, one]) => [name, withoutTexts(one, shared)]))
}
