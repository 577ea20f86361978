import type { Descriptor } from "@pilothouse/api"
import { allDescriptors } from "@pilothouse/api/descriptors"
import type { HeaderMap, Query, TransportResponse } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { type OpenApiSource, openApi } from "./openapi.ts"

const now = Date.UTC(2026, 0, 5, 9)

function builtIn(descriptors: readonly Descriptor[]): OpenApiSource {
  return { descriptors, generation: () => "0", remotes: () => new Map(), customResources: () => [] }
}

const answer = openApi(builtIn(allDescriptors), { release: "v1.36.3", now: () => now, begin: () => () => undefined })

function get(path: string, query: Query = {}, headers: HeaderMap = {}): TransportResponse | undefined {
  return answer({ verb: "GET", path, query, headers }) as TransportResponse | undefined
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string }[]
  readonly "x-kubernetes-action": string
  readonly "x-kubernetes-group-version-kind": unknown
}

interface Document {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<
      Record<string, { readonly properties: Readonly<Record<string, object>> } & Readonly<Record<string, unknown>>>
    >
  }
}

function jsonOf(response: TransportResponse | undefined): unknown {
  if (response?.body.type !== "bytes") throw new Error(`expected bytes, found ${response?.body.type}`)
  return JSON.parse(Buffer.from(response.body.bytes).toString())
}

const document = (path: string) => jsonOf(get(`/openapi/v3/${path}`)) as Document

describe("the index", () => {
  const index = jsonOf(get("/openapi/v3")) as { paths: Record<string, { serverRelativeURL: string }> }

  test("has every group version with a hash", () => {
    expect(Object.keys(index.paths)).toContain("api/v1")
    expect(index.paths["apis/apps/v1"]?.serverRelativeURL).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/)
  })

  test("whose URL may be kept for a year", () => {
    const [path = "", hash] = index.paths["api/v1"]!.serverRelativeURL.split("?hash=")
    expect(get(path, { hash: hash! })?.headers).toMatchObject({
      "cache-control": "public, immutable",
      expires: "Tue, 05 Jan 2027 09:00:00 GMT",
    })
    expect(get(path, { hash: "OLD" })).toMatchObject({ status: 301, headers: { location: `${path}?hash=${hash}` } })
  })

  test("changes its hash with the resources", () => {
    const fewer = openApi(builtIn(allDescriptors.filter(({ kind }) => kind !== "DaemonSet")), {
      release: "v1.36.3",
      now: () => now,
      begin: () => () => undefined,
    })
    const other = jsonOf(fewer({ verb: "GET", path: "/openapi/v3", query: {}, headers: {} }) as TransportResponse) as typeof index
    expect(other.paths["apis/apps/v1"]).not.toEqual(index.paths["apis/apps/v1"])
    expect(other.paths["api/v1"]).toEqual(index.paths["api/v1"])
  })
})

describe("operations", () => {
  const { paths } = document("apis/apps/v1")

  test.each([
    ["/apis/apps/v1/deployments", "get", "list", "listAppsV1DeploymentForAllNamespaces"],
    ["/apis/apps/v1/namespaces/{namespace}/deployments", "get", "list", "listAppsV1NamespacedDeployment"],
    ["/apis/apps/v1/namespaces/{namespace}/deployments", "post", "post", "createAppsV1NamespacedDeployment"],
    ["/apis/apps/v1/namespaces/{namespace}/deployments", "delete", "deletecollection", "deleteAppsV1CollectionNamespacedDeployment"],
    ["/apis/apps/v1/namespaces/{namespace}/deployments/{name}", "get", "get", "readAppsV1NamespacedDeployment"],
    ["/apis/apps/v1/namespaces/{namespace}/deployments/{name}", "put", "put", "replaceAppsV1NamespacedDeployment"],
    ["/apis/apps/v1/namespaces/{namespace}/deployments/{name}", "patch", "patch", "patchAppsV1NamespacedDeployment"],
    ["/apis/apps/v1/namespaces/{namespace}/deployments/{name}", "delete", "delete", "deleteAppsV1NamespacedDeployment"],
    ["/apis/apps/v1/namespaces/{namespace}/deployments/{name}/status", "patch", "patch", "patchAppsV1NamespacedDeploymentStatus"],
  ])("%s %s", (path, method, action, id) => {
    expect(paths[path]?.[method]).toMatchObject({
      operationId: id,
      "x-kubernetes-action": action,
      "x-kubernetes-group-version-kind": { group: "apps", version: "v1", kind: "Deployment" },
    })
  })

  test("a subresource has the kind of its bodies", () => {
    expect(paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"]?.put).toMatchObject({
      "x-kubernetes-group-version-kind": { group: "autoscaling", version: "v1", kind: "Scale" },
    })
  })

  test("writes tell kubectl that the server validates fields", () => {
    const names = (method: string) =>
      paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]?.[method]?.parameters?.map(({ name }) => name)
    expect(names("patch")).toEqual(["dryRun", "fieldManager", "fieldValidation", "force"])
    expect(names("put")).toEqual(["dryRun", "fieldManager", "fieldValidation"])
  })

  test("connections are left out", () => {
    const core = document("api/v1")
    expect(core.paths["/api/v1/namespaces/{namespace}/pods/{name}/exec"]).toBeUndefined()
    expect(core.paths["/api/v1/namespaces/{namespace}/pods/{name}/log"]).toBeDefined()
  })
})

describe("schemas", () => {
  const { schemas } = document("apis/apps/v1").components
  const core = "io.k8s.api.core.v1"

  test("say of which kind they are", () => {
    expect(schemas["io.k8s.api.apps.v1.Deployment"]).toMatchObject({
      type: "object",
      "x-kubernetes-group-version-kind": [{ group: "apps", version: "v1", kind: "Deployment" }],
    })
    expect(schemas["io.k8s.api.apps.v1.DeploymentList"]).toMatchObject({ required: ["items"] })
  })

  test("say how lists are merged", () => {
    expect(schemas[`${core}.PodSpec`]?.properties.containers).toEqual({
      type: "array",
      items: { $ref: `#/components/schemas/${core}.Container` },
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-list-type": "map",
      "x-kubernetes-patch-merge-key": "name",
      "x-kubernetes-patch-strategy": "merge",
    })
    expect(schemas[`${core}.PodSpec`]?.properties.volumes).toMatchObject({ "x-kubernetes-patch-strategy": "merge,retainKeys" })
  })

  test("keep what a field adds beside a reference", () => {
    expect(schemas["io.k8s.api.apps.v1.DeploymentSpec"]?.properties.strategy).toEqual({
      allOf: [{ $ref: "#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy" }],
      default: {},
      "x-kubernetes-patch-strategy": "retainKeys",
    })
  })

  test("have defaults, formats, atomic maps and the odd types", () => {
    expect(schemas[`${core}.ContainerPort`]?.properties.protocol).toMatchObject({ type: "string", default: "TCP" })
    expect(schemas["io.k8s.api.apps.v1.DeploymentSpec"]?.properties.replicas).toEqual({ type: "integer", format: "int32" })
    expect(schemas[`${core}.LocalObjectReference`]).toMatchObject({ "x-kubernetes-map-type": "atomic" })
    expect(schemas["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]).toEqual({
      format: "int-or-string",
      oneOf: [{ type: "integer" }, { type: "string" }],
    })
    expect(schemas["io.k8s.apimachinery.pkg.apis.meta.v1.Time"]).toEqual({ type: "string", format: "date-time" })
  })

  test("of CRDs, which hold themselves, end", () => {
    const crd = document("apis/apiextensions.k8s.io/v1").components.schemas
    const name = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"
    expect(crd[name]?.properties.not).toEqual({ allOf: [{ $ref: `#/components/schemas/${name}` }] })
  })

  test.each([...new Set(allDescriptors.map(({ group, version }) => (group === "" ? `api/${version}` : `apis/${group}/${version}`)))])(
    "every reference of %s leads somewhere",
    (path) => {
      const { components, ...rest } = document(path)
      const references = [...JSON.stringify([components, rest]).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = ""]) => name)
      expect(references.filter((name) => !(name in components.schemas))).toEqual([])
    },
  )
})

describe("what it does not answer", () => {
  test.each(["/openapi/v3/apis/nothing/v1", "/openapi/v33"])("%s", (path) => expect(get(path)).toBeUndefined())

  test("another form than JSON and gnostic's protobuf, without a word (seen)", () => {
    expect(get("/openapi/v3/api/v1", {}, { accept: "text/plain" })).toMatchObject({ status: 406, body: { value: undefined } })
    expect(get("/openapi/v3", {}, { accept: "text/plain" })?.status).toBe(200)
  })
})
