import type { Descriptor } from "@pilothouse/api"
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from "@pilothouse/api/apiextensions/v1"
import { allDescriptors } from "@pilothouse/api/descriptors"
import type { TransportResponse } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import type { CustomResourceVersion } from "../customresources/served-version.ts"
import { widgets, widgetVersion } from "../customresources/testing/definitions.ts"
import { openApi } from "./openapi.ts"

interface Operation {
  readonly operationId: string
  readonly description: string
  readonly parameters?: readonly { readonly name: string }[]
  readonly requestBody?: { readonly content: object }
  readonly consumes?: readonly string[]
  readonly responses: object
}

type PathItem = Readonly<Record<string, Operation>> & { readonly parameters: readonly { readonly name: string }[] }

interface Document {
  readonly paths: Readonly<Record<string, PathItem>>
  readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>> & { readonly properties: Readonly<Record<string, object>> }>>
}

/** Versions as a server has them that serves all versions of definitions. */
function served(...definitions: readonly CustomResourceDefinition[]): readonly CustomResourceVersion[] {
  return definitions.flatMap((definition) =>
    definition.spec.versions.map((version) => ({ definition, version, descriptor: descriptorOf(definition, version) })),
  )
}

function descriptorOf({ spec }: CustomResourceDefinition, { name, subresources = {} }: CustomResourceDefinitionVersion): Descriptor {
  const { group, names, scope } = spec
  const more = {
    shortNames: [],
    categories: [],
    verbs: [],
    subresources: Object.keys(subresources).map((one) => ({ name: one, verbs: [] })),
  }
  return { group, version: name, kind: names.kind, plural: names.plural, singular: "", namespaced: scope === "Namespaced", ...more }
}

/** A server whose definitions can be replaced. */
function server(first: readonly CustomResourceVersion[]) {
  const state: { generation: number; versions: readonly CustomResourceVersion[]; pause?: () => Promise<void> } = {
    generation: 0,
    versions: first,
  }
  const descriptors = allDescriptors.filter(({ group }) => group === "apps" || group === "autoscaling")
  const answer = openApi(
    { descriptors, generation: () => String(state.generation), customResources: () => state.versions, remotes: () => new Map() },
    { release: "v1.36.3", now: () => 0, begin: () => () => state.pause?.() },
  )
  const get = (path: string, headers = {}) => answer({ verb: "GET", path, query: {}, headers }) as TransportResponse | undefined
  return {
    state,
    get,
    serve(...definitions: readonly CustomResourceDefinition[]) {
      state.generation++
      state.versions = served(...definitions)
    },
    v3(path: string): Document {
      const { paths, components } = jsonOf(get(`/openapi/v3/${path}`)) as Document & { readonly components: Document }
      return { paths, schemas: components.schemas }
    },
    v2(): Document {
      const { paths, definitions } = jsonOf(get("/openapi/v2")) as Document & { readonly definitions: Document["schemas"] }
      return { paths, schemas: definitions }
    },
    index: () => (jsonOf(get("/openapi/v3")) as { readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>> }).paths,
  }
}

function jsonOf(response: TransportResponse | undefined): unknown {
  return response?.body.type === "bytes" ? JSON.parse(Buffer.from(response.body.bytes).toString()) : undefined
}

const everything = widgetVersion("v1", {
  subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
  selectableFields: [{ jsonPath: ".spec.color" }],
})

describe.each(["v3", "v2"] as const)("a custom resource in OpenAPI %s", (version) => {
  const api = server(served(widgets(everything)))
  const { paths, schemas } = version === "v3" ? api.v3("apis/example.com/v1") : api.v2()
  const root = "/apis/example.com/v1/namespaces/{namespace}/widgets"
  const own = Object.keys(paths).filter((path) => path.startsWith("/apis/example.com"))

  test("has its paths and no others", () => {
    expect(own.sort()).toEqual(
      ["/apis/example.com/v1/widgets", root, `${root}/{name}`, `${root}/{name}/scale`, `${root}/{name}/status`].sort(),
    )
  })

  test.each([
    ["/apis/example.com/v1/widgets", "get", "listExampleComV1WidgetForAllNamespaces", "list objects of kind Widget"],
    [root, "get", "listExampleComV1NamespacedWidget", "list objects of kind Widget"],
    [root, "post", "createExampleComV1NamespacedWidget", "create a Widget"],
    [root, "delete", "deleteExampleComV1CollectionNamespacedWidget", "delete collection of Widget"],
    [`${root}/{name}`, "get", "readExampleComV1NamespacedWidget", "read the specified Widget"],
    [`${root}/{name}`, "put", "replaceExampleComV1NamespacedWidget", "replace the specified Widget"],
    [`${root}/{name}`, "patch", "patchExampleComV1NamespacedWidget", "partially update the specified Widget"],
    [`${root}/{name}`, "delete", "deleteExampleComV1NamespacedWidget", "delete a Widget"],
    [`${root}/{name}/status`, "get", "readExampleComV1NamespacedWidgetStatus", "read status of the specified Widget"],
    [`${root}/{name}/scale`, "patch", "patchExampleComV1NamespacedWidgetScale", "partially update scale of the specified Widget"],
  ])("has an operation at %s: %s", (path, method, id, description) => {
    expect(paths[path]?.[method]).toMatchObject({
      operationId: id,
      description,
      tags: ["exampleCom_v1"],
      "x-kubernetes-group-version-kind": { group: "example.com", version: "v1", kind: "Widget" },
    })
  })

  test("takes its parameters at the path where there is one operation", () => {
    const { get, parameters } = paths["/apis/example.com/v1/widgets"]!
    expect(get?.parameters).toBeUndefined()
    expect(parameters.map(({ name }) => name)).toContain("pretty")
    expect(paths[root]!.parameters.map(({ name }) => name)).toEqual(["namespace", "pretty"])
  })

  test("answers with the codes of upstream", () => {
    expect(Object.keys(paths[root]!.post!.responses)).toEqual(["200", "201", "202", "401"])
    expect(Object.keys(paths[`${root}/{name}`]!.patch!.responses)).toEqual(["200", "401"])
    expect(Object.keys(paths[`${root}/{name}`]!.delete!.responses)).toEqual(["200", "202", "401"])
  })

  test("takes no strategic merge patch", () => {
    const { requestBody, consumes } = paths[`${root}/{name}`]!.patch!
    expect(consumes ?? Object.keys(requestBody!.content)).toEqual([
      "application/json-patch+json",
      "application/merge-patch+json",
      "application/apply-patch+yaml",
    ])
  })

  test("has the schema of its objects, with what every object has", () => {
    const schema = schemas["com.example.v1.Widget"]!
    expect(Object.keys(schema.properties).sort()).toEqual(["apiVersion", "kind", "metadata", "spec", "status"])
    expect(schema.properties.apiVersion).toMatchObject({ type: "string", description: expect.stringMatching(/^APIVersion defines/) })
    expect(schema).toMatchObject({
      "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "Widget", version: "v1" }],
      "x-kubernetes-selectable-fields": [{ fieldPath: "spec.color" }],
    })
  })

  test("has the schema of its lists", () => {
    expect(schemas["com.example.v1.WidgetList"]).toMatchObject({
      description: "WidgetList is a list of Widget",
      required: ["items"],
      "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "WidgetList", version: "v1" }],
    })
  })

  test("refers to nothing that is missing", () => {
    const text = JSON.stringify([paths, schemas])
    const names = [...text.matchAll(/"#\/(?:components\/schemas|definitions)\/([^"]*)"/g)].map(([, name]) => name!)
    expect(names.length).toBeGreaterThan(20)
    expect(names.filter((name) => !(name in schemas))).toEqual([])
  })

  test("with unknown fields at the root is any object in v2", () => {
    const open = widgetVersion("v1", { schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } })
    const other = server(served(widgets(open)))
    const { schemas: found } = version === "v3" ? other.v3("apis/example.com/v1") : other.v2()
    expect("properties" in found["com.example.v1.Widget"]!).toBe(version === "v3")
  })

  test("without a schema is any object", () => {
    const bare = server(served(widgets(widgetVersion("v1", { schema: undefined }))))
    const { schemas: found } = version === "v3" ? bare.v3("apis/example.com/v1") : bare.v2()
    expect(found["com.example.v1.Widget"]).toEqual({
      type: "object",
      "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "Widget", version: "v1" }],
    })
  })

  test("shows exact integers", () => {
    const schema = { openAPIV3Schema: { type: "object", properties: { a: { type: "integer", enum: [9223372036854775807n] } } } }
    const big = server(served(widgets(widgetVersion("v1", { schema }))))
    const response = big.get(version === "v3" ? "/openapi/v3/apis/example.com/v1" : "/openapi/v2")
    expect(response?.body.type === "bytes" && Buffer.from(response.body.bytes).includes("9223372036854775807")).toBe(true)
  })

  test("is there in protobuf", () => {
    const accept = `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`
    const response = api.get(version === "v3" ? "/openapi/v3/apis/example.com/v1" : "/openapi/v2", { accept })
    expect(response?.body).toMatchObject({ type: "bytes", contentType: accept })
    expect(response?.body.type === "bytes" && Buffer.from(response.body.bytes).includes("com.example.v1.WidgetList")).toBe(true)
  })
})

describe("the documents of definitions that change", () => {
  const named = (kind: string, group: string, generation: number, more = everything): CustomResourceDefinition => {
    const { spec, ...rest } = widgets(more)
    const plural = `${kind.toLowerCase()}s`
    const metadata = { name: `${plural}.${group}`, uid: `uid of ${kind}`, generation }
    return { ...rest, metadata, spec: { ...spec, group, names: { plural, kind } } }
  }

  test("are listed with a hash that changes with the definition only", () => {
    const api = server([])
    expect(api.index()).not.toHaveProperty(["apis/a.example/v1"])
    api.serve(named("A", "a.example", 1), named("B", "b.example", 1))
    const first = api.index()
    api.serve(named("A", "a.example", 2), named("B", "b.example", 1))
    const second = api.index()
    expect(second["apis/a.example/v1"]).not.toEqual(first["apis/a.example/v1"])
    expect(second["apis/b.example/v1"]).toEqual(first["apis/b.example/v1"])
    api.serve(named("B", "b.example", 1))
    expect(api.index()).not.toHaveProperty(["apis/a.example/v1"])
    expect(api.get("/openapi/v3/apis/a.example/v1")).toBeUndefined()
    expect(Object.keys(api.v2().schemas)).not.toContain("example.a.v1.A")
  })

  test("of one group version are one", () => {
    const api = server(served(named("A", "a.example", 1), named("B", "a.example", 1, { ...everything, subresources: {} })))
    const { paths, schemas } = api.v3("apis/a.example/v1")
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(["example.a.v1.A", "example.a.v1.AList", "example.a.v1.B", "example.a.v1.BList"]),
    )
    expect(Object.keys(paths).filter((path) => path.endsWith("/scale"))).toEqual([
      "/apis/a.example/v1/namespaces/{namespace}/as/{name}/scale",
    ])
  })

  test("of several versions are several", () => {
    const { spec, ...rest } = widgets(widgetVersion("v1"), widgetVersion("v2alpha1", { subresources: {} }))
    const api = server(served({ ...rest, spec }))
    expect(Object.keys(api.v3("apis/example.com/v1").paths)).toHaveLength(4)
    expect(Object.keys(api.v3("apis/example.com/v2alpha1").paths)).toHaveLength(3)
    expect(Object.keys(api.v2().schemas)).toEqual(expect.arrayContaining(["com.example.v1.Widget", "com.example.v2alpha1.Widget"]))
  })

  test("do not replace those of the server itself", () => {
    const api = server([])
    const before = api.v3("apis/apps/v1")
    api.serve(named("Deployment", "apps", 1))
    expect(api.v3("apis/apps/v1")).toEqual(before)
    expect(Object.keys(api.v2().schemas)).not.toContain("apps.v1.Deployment")
  })

  test("keep a document as it is while its definitions do not change", () => {
    const api = server(served(named("A", "a.example", 1)))
    const bytes = () => {
      const body = api.get("/openapi/v3/apis/a.example/v1")?.body
      return body?.type === "bytes" ? body.bytes : undefined
    }
    const first = bytes()
    api.serve(named("A", "a.example", 1), named("B", "b.example", 1))
    expect(bytes()).toBe(first)
  })

  test("follow the names of a definition in v2", () => {
    const api = server(served(named("A", "a.example", 1)))
    expect(Object.keys(api.v2().schemas)).toContain("example.a.v1.AList")
    const { spec, ...rest } = named("A", "a.example", 2)
    api.serve({ ...rest, spec: { ...spec, names: { ...spec.names, listKind: "Flock" } } })
    expect(Object.keys(api.v2().schemas)).toContain("example.a.v1.Flock")
  })

  test.each([
    ["cert-manager.io", "certManagerIo_v1"],
    ["3scale.net", "ScaleNet_v1"],
    ["gateway.networking.k8s.io", "gatewayNetworking_v1"],
    ["a.b2.c", "aB2C_v1"],
  ])("have the tag of the group %s", (group, tag) => {
    const { paths } = server(served(named("Thing", group, 1))).v3(`apis/${group}/v1`)
    expect(Object.values(paths)[0]).toMatchObject({ get: { tags: [tag] } })
  })

  test.each([
    ["Apple", "create an Apple"],
    ["Box", "create a Box"],
    ["Ingress", "create an Ingress"],
    ["Endpoints", "create Endpoints"],
  ])("name the kind %s with its article", (kind, description) => {
    const { paths } = server(served(named(kind, "a.example", 1))).v3("apis/a.example/v1")
    expect(Object.values(paths).find(({ post }) => post !== undefined)?.post?.description).toBe(description)
  })

  test("of a resource of the cluster have no namespaces", () => {
    const { spec, ...rest } = named("A", "a.example", 1)
    const { paths } = server(served({ ...rest, spec: { ...spec, scope: "Cluster" } })).v3("apis/a.example/v1")
    expect(Object.keys(paths)).toContain("/apis/a.example/v1/as/{name}/scale")
    expect(paths["/apis/a.example/v1/as"]?.get?.operationId).toBe("listAExampleV1A")
  })

  test.each([
    ["JSON", "application/json"],
    ["protobuf", "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"],
  ])("the document of OpenAPI v2 in %s is made in turns, a definition in each", async (_form, accept) => {
    const api = server(served())
    let pauses = 0
    api.state.pause = async () => void pauses++
    const pausesOf = async (...definitions: readonly CustomResourceDefinition[]) => {
      api.serve(...definitions)
      const before = pauses
      const response = await api.get("/openapi/v2", { accept })
      return { taken: pauses - before, bytes: response?.body.type === "bytes" ? Buffer.from(response.body.bytes) : Buffer.alloc(0) }
    }
    await pausesOf()
    const [none, both] = [await pausesOf(), await pausesOf(named("Apple", "a.example", 1), named("Box", "b.example", 1))]
    // One for the part of each, the others for the hash.
    expect(both.taken - none.taken).toBeGreaterThanOrEqual(4)
    expect([none, both].map(({ bytes }) => bytes.includes("example.b.v1.Box"))).toEqual([false, true])
  })
})
