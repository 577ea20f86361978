// npm run test:real -- crd-tables: the tables, scales and field selectors of custom resources, asked of the real API server and of ours.
import { setTimeout as delay } from "node:timers/promises"
import type { CustomResourceColumnDefinition, CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import type { ApiClient, ApiRequest } from "../api-client.ts"
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import { differences } from "../shapes/differences.ts"
import type { Suite, SuiteContext } from "../suite.ts"

export const suite: Suite = {
  skipReason: needsKubernetes,
  run,
}

const column = (type: string, jsonPath: string, more: Partial<CustomResourceColumnDefinition> = {}): CustomResourceColumnDefinition => ({
  name: `${type} ${jsonPath}`,
  type,
  jsonPath,
  ...more,
})

const paths = [
  ".spec.text",
  ".spec.whole",
  ".spec.fraction",
  ".spec.flag",
  ".spec.nothing",
  ".spec.since",
  ".spec.soon",
  ".spec.bad",
  ".spec.list",
  ".spec.list[*]",
  ".spec.list[0]",
  ".spec.list[-1]",
  ".spec.list[9]",
  ".spec.map",
  ".spec.map.a",
  ".spec.map['a']",
  '.spec.conditions[?(@.type=="Ready")].status',
  '.spec.conditions[?(@.type=="Gone")].status',
  ".spec.conditions[?(@.n>1)].type",
  ".spec.conditions[*].type",
  ".metadata.name",
  ".metadata.creationTimestamp",
  ".metadata.labels.a\\.b/c",
  ".metadata.generation",
  ".apiVersion",
  ".text",
]

const types = ["string", "integer", "number", "boolean", "date"]

const scalePaths = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size", labelSelectorPath: ".status.selector" }

function define(kind: string, more: Partial<CustomResourceDefinition["spec"]["versions"][number]>): CustomResourceDefinition {
  const plural = `${kind.toLowerCase()}s`
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true }
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: open, status: open, text: { type: "string" } } } }
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.tables.example.com` },
    spec: {
      group: "tables.example.com",
      scope: "Namespaced",
      names: { plural, kind },
      versions: [{ name: "v1", served: true, storage: true, schema, ...more }],
    },
  }
}

const definitions: readonly CustomResourceDefinition[] = [
  define("Plain", {}),
  ...types.map((type) => define(`Of${type}`, { additionalPrinterColumns: paths.map((path) => column(type, path)) })),
  define("Described", {
    additionalPrinterColumns: [
      column("integer", ".spec.whole", { description: "how many", format: "int32", priority: 2 }),
      column("string", ".spec.text", { priority: 1, format: "byte" }),
    ],
  }),
  define("Broken", { additionalPrinterColumns: [column("string", ".spec.text"), column("string", ".spec["), column("string", ".text")] }),
  define("Sized", { subresources: { scale: scalePaths } }),
  define("Both", { subresources: { status: {}, scale: scalePaths } }),
  define("Selected", {
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: { type: "object", properties: { color: { type: "string" }, on: { type: "boolean" }, count: { type: "integer" } } },
        },
      },
    },
    selectableFields: [{ jsonPath: ".spec.color" }, { jsonPath: ".spec.on" }, { jsonPath: ".spec.count" }],
  }),
]

const spec = {
  text: "plain",
  whole: 42,
  fraction: 2.75,
  flag: true,
  nothing: null,
  since: "2020-01-01T00:00:00Z",
  soon: "2999-01-01T00:00:00+02:00",
  bad: "yesterday",
  list: ["<a>", 1, { b: null, a: 1e-7 }],
  map: { b: [1, 2], a: "x" },
  conditions: [
    { type: "Ready", status: "True", n: 1 },
    { type: "Synced", status: "False", n: 2 },
  ],
  size: 3,
}

const collection = (kind: string) => `/apis/tables.example.com/v1/namespaces/default/${kind.toLowerCase()}s`
const table = "application/json;as=Table;v=v1;g=meta.k8s.io"

function object(kind: string, name: string, content: object): object {
  return { apiVersion: "tables.example.com/v1", kind, metadata: { name, labels: { "a.b/c": "d" } }, ...content }
}

async function run({ tally }: SuiteContext): Promise<void> {
  await using real = await startControlPlane()
  await using ours = await startOurApiServer()
  const servers = [real.client, ours.client]
  await Promise.all(servers.map(prepare))
  const compare = async (request: ApiRequest): Promise<string | undefined> => {
    const [theirs, own] = await Promise.all(servers.map((client) => answer(client, request)))
    return differences(withoutOwnTexts(theirs), withoutOwnTexts(own)).join("\n") || undefined
  }
  await tally.group("tables", async (group) => {
    for (const { spec: definition } of definitions) {
      const { kind } = definition.names
      for (const path of [collection(kind), `${collection(kind)}/full`, `${collection(kind)}/empty`])
        group.case(`${path} as a table`, await compare({ verb: "GET", path, accept: table }))
    }
  })
  await tally.group("scales", async (group) => {
    for (const [index, request] of scaleRequests().entries())
      group.case(`${index} ${request.verb} ${request.path} ${JSON.stringify(request.body)}`, await compare(request))
  })
  await tally.group("field selectors", async (group) => {
    for (const fieldSelector of selectors) {
      const request: ApiRequest = { verb: "GET", path: collection("Selected"), query: { fieldSelector } }
      group.case(fieldSelector, await compare(request))
    }
  })
}

/** The columns that no definition has are described by each server in its own words. */
function withoutOwnTexts(answered: unknown): unknown {
  const { body } = answered as { readonly body?: { readonly columnDefinitions?: readonly CustomResourceColumnDefinition[] } }
  const { columnDefinitions } = body ?? {}
  if (columnDefinitions === undefined) return answered
  const columns = columnDefinitions.map(({ description, ...column }) =>
    /^(Name|Age)$/.test(column.name) ? column : { description, ...column },
  )
  return { ...(answered as object), body: { ...body, columnDefinitions: columns } }
}

const selectors = [
  "spec.color=red",
  "spec.color!=red",
  "spec.color=",
  "spec.on=true",
  "spec.on=false",
  "spec.count=7",
  "spec.count=7,spec.color=red",
  "metadata.name=full",
  "metadata.namespace=default",
  "metadata.uid=x",
  "spec.size=3",
  "spec=1",
  ".spec.color=red",
]

function apply(kind: string, replicas: number | undefined, query: Readonly<Record<string, string>>): ApiRequest {
  return {
    verb: "PATCH",
    path: `${collection(kind)}/full/scale`,
    query,
    contentType: "application/apply-patch+yaml",
    body: { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "full", namespace: "default" }, spec: { replicas } },
  }
}

/** In order: each is made of what those before it left. */
function scaleRequests(): readonly ApiRequest[] {
  return ["Sized", "Both", "Plain"].flatMap((kind) => {
    const [full, empty] = ["full", "empty"].map((name) => `${collection(kind)}/${name}/scale`)
    const patch = (path: string, body: unknown, contentType = "application/merge-patch+json"): ApiRequest => ({
      verb: "PATCH",
      path,
      body,
      contentType,
    })
    const put = (name: string, replicas: unknown, more: object = {}): ApiRequest => ({
      verb: "PUT",
      path: `${collection(kind)}/${name}/scale`,
      body: { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name, namespace: "default", ...more }, spec: { replicas } },
    })
    return [
      { verb: "GET", path: full! },
      { verb: "GET", path: full!, accept: table },
      { verb: "GET", path: empty! },
      patch(empty!, { metadata: { labels: { a: "b" } } }),
      patch(full!, { spec: { replicas: 5 } }),
      // An apply that changes the replicas fails on the real server with 500, which takes the Scale for a custom resource.
      apply(kind, 5, { fieldManager: "applier" }),
      apply(kind, 9, { fieldManager: "applier" }),
      { verb: "GET", path: `${collection(kind)}/full` },
      patch(full!, { spec: { replicas: -1 } }),
      patch(full!, { spec: { replicas: "x" } }),
      patch(full!, [{ op: "replace", path: "/spec/replicas", value: 6 }], "application/json-patch+json"),
      put("full", 0),
      put("full", 7, { resourceVersion: "1" }),
      put("full", 8, { name: "other" }),
      put("empty", 2),
      { verb: "GET", path: empty! },
      { verb: "GET", path: `${collection(kind)}/full` },
      patch(`${collection(kind)}/full`, { spec: { size: "text" } }),
      { verb: "GET", path: full! },
      patch(full!, { spec: { replicas: 1 } }),
      patch(`${collection(kind)}/full`, { spec: { size: 1 }, status: { size: [], selector: 3 } }),
      { verb: "GET", path: full! },
      { verb: "DELETE", path: full! },
      { verb: "GET", path: `${collection(kind)}/absent/scale` },
    ]
  })
}

async function prepare(client: ApiClient): Promise<void> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
  await Promise.all(definitions.map((body) => client.object({ verb: "POST", path, body })))
  for (const { spec: definition } of definitions) {
    const { kind } = definition.names
    await served(client, collection(kind))
    const content =
      kind === "Selected" ? { spec: { color: "red", on: true, count: 7 } } : { spec, text: "top", status: { size: 2, selector: "a=b" } }
    await client.object({ verb: "POST", path: collection(kind), body: object(kind, "full", content) })
    await client.object({ verb: "POST", path: collection(kind), body: object(kind, "empty", {}) })
  }
}

async function served(client: ApiClient, path: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if ((await client.send({ verb: "GET", path })).status === 200) return
    await delay(50)
  }
  throw new Error(`expected ${path} to be served after 10 s, found that it is not`)
}

/** Ages go on while both are asked, and each server gives its own ids. */
async function answer(client: ApiClient, request: ApiRequest): Promise<unknown> {
  const { status, value } = await client.send(request)
  const text = JSON.stringify(value)
    .replaceAll(/"(?:\d+[smh])+"/g, '"<age>"')
    .replaceAll(/("(?:uid|resourceVersion)":)"[^"]*"/g, '$1""')
    .replaceAll(/"20(?:2[5-9]|[3-9]\d)-\d\d-\d\dT[\d:.]+Z"/g, '"<now>"')
    .replaceAll(/Invalid value: \\"\{[^]*?\}\\": /g, "Invalid value: ")
  return { status, body: JSON.parse(text) as unknown }
}
