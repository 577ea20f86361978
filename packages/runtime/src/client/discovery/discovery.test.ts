import type { Descriptor } from "@pilothouse/api"
import { type Transport, VirtualClock, valueBody } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { type Client, createClient } from "../client.ts"

const widget: Descriptor = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  singular: "widget",
  namespaced: true,
  verbs: ["get", "list"],
  shortNames: ["wd"],
  categories: ["all"],
  subresources: [
    { name: "scale", kind: "autoscaling/v1/Scale", verbs: ["get", "update"] },
    { name: "status", verbs: ["get"] },
  ],
}
const node: Descriptor = {
  group: "",
  version: "v1",
  kind: "Node",
  plural: "nodes",
  singular: "node",
  namespaced: false,
  verbs: ["get"],
  shortNames: [],
  categories: [],
  subresources: [],
}

const own = { group: "", version: "" }
const scale = { group: "autoscaling", version: "v1", kind: "Scale" }
const aggregated: Record<string, object> = {
  "/api": {
    kind: "APIGroupDiscoveryList",
    items: [
      {
        metadata: {},
        versions: [
          { version: "v1", resources: [{ resource: "nodes", responseKind: { ...own, kind: "Node" }, scope: "Cluster", verbs: ["get"] }] },
        ],
      },
    ],
  },
  "/apis": {
    kind: "APIGroupDiscoveryList",
    items: [
      {
        metadata: { name: "example.com" },
        versions: [
          {
            version: "v1",
            resources: [
              {
                resource: "widgets",
                responseKind: { ...own, kind: "Widget" },
                scope: "Namespaced",
                singularResource: "widget",
                verbs: ["get", "list"],
                shortNames: ["wd"],
                categories: ["all"],
                subresources: [
                  { subresource: "scale", responseKind: scale, verbs: ["get", "update"] },
                  { subresource: "status", responseKind: { ...own, kind: "Widget" }, verbs: ["get"] },
                ],
              },
            ],
          },
        ],
      },
    ],
  },
}
const legacy: Record<string, object> = {
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/api/v1": { kind: "APIResourceList", resources: [{ name: "nodes", singularName: "", namespaced: false, kind: "Node", verbs: ["get"] }] },
  "/apis": {
    kind: "APIGroupList",
    groups: [
      { name: "example.com", versions: [{ groupVersion: "example.com/v1", version: "v1" }] },
      { name: "metrics.k8s.io", versions: [{ groupVersion: "metrics.k8s.io/v1beta1", version: "v1beta1" }] },
    ],
  },
  "/apis/example.com/v1": {
    kind: "APIResourceList",
    resources: [
      {
        name: "widgets",
        singularName: "widget",
        namespaced: true,
        kind: "Widget",
        verbs: ["get", "list"],
        shortNames: ["wd"],
        categories: ["all"],
      },
      { name: "widgets/scale", namespaced: true, ...scale, verbs: ["get", "update"] },
      { name: "widgets/status", namespaced: true, kind: "Widget", verbs: ["get"] },
    ],
  },
}

/** A server with these documents; what it does not have is 503, as of an extension server that is down. */
function server(documents: Record<string, object>): {
  client: Client
  clock: VirtualClock
  asked: string[]
  documents: Record<string, object>
} {
  const clock = new VirtualClock()
  const asked: string[] = []
  const known = { ...documents }
  const transport: Transport = async ({ path }) => {
    asked.push(path)
    const found = known[path]
    const status = { kind: "Status", apiVersion: "v1", reason: "ServiceUnavailable", code: 503 }
    return { status: found === undefined ? 503 : 200, headers: {}, body: valueBody(found ?? status) }
  }
  return { client: createClient(transport, { clock }), clock, asked, documents: known }
}

describe.each([
  ["aggregated", aggregated],
  ["legacy, with an extension server that is down", legacy],
])("%s", (_, documents) => {
  test("finds a kind, with its subresources", async () => {
    expect(await server(documents).client.forKind("example.com/v1", "Widget")).toEqual(widget)
    expect(await server(documents).client.forKind("v1", "Node")).toEqual(node)
  })

  test("finds the versions of a kind, none where there is none", async () => {
    expect(await server(documents).client.versionsOf("example.com", "Widget")).toEqual([widget])
    expect(await server(documents).client.versionsOf("", "Widget")).toEqual([])
  })

  test("lists all", async () => expect(await server(documents).client.resources()).toEqual([node, widget]))
})

test("lists that Go wrote as null have nothing in them", async () => {
  const list = { kind: "APIResourceList", resources: [{ name: "nodes", namespaced: false, kind: "Node", verbs: null }] }
  const groups = [{ name: "example.com", versions: null }]
  const bare = { ...node, verbs: [] }
  const documents = { "/api": { kind: "APIVersions", versions: ["v1"] }, "/api/v1": list, "/apis": { kind: "APIGroupList", groups } }
  expect(await server(documents).client.resources()).toEqual([bare])
  expect(await server({ ...documents, "/apis": { kind: "APIGroupList", groups: null } }).client.resources()).toEqual([bare])
  const subresources = [{ subresource: "status", responseKind: { ...own, kind: "Node" }, verbs: null }]
  const resource = { resource: "nodes", responseKind: { ...own, kind: "Node" }, scope: "Cluster", verbs: null, subresources }
  const api = { kind: "APIGroupDiscoveryList", items: [{ metadata: {}, versions: [{ version: "v1", resources: [resource] }] }] }
  const { client } = server({ "/api": api, "/apis": { kind: "APIGroupDiscoveryList", items: [] } })
  expect(await client.resources()).toEqual([{ ...bare, subresources: [{ name: "status", verbs: [] }] }])
})

test("asks once, however many ask at once and later", async () => {
  const { client, asked } = server(aggregated)
  await Promise.all([client.forKind("v1", "Node"), client.forKind("example.com/v1", "Widget")])
  await client.forKind("v1", "Node")
  expect(asked).toEqual(["/api", "/apis"])
})

test("refreshes for an unknown kind, at most every five seconds", async () => {
  const { client, clock, asked, documents } = server({ ...aggregated, "/apis": { kind: "APIGroupDiscoveryList", items: [] } })
  await expect(client.forKind("example.com/v1", "Widget")).rejects.toMatchObject({ code: "INVALID" })
  documents["/apis"] = aggregated["/apis"]!
  await expect(client.forKind("example.com/v1", "Widget")).rejects.toMatchObject({ code: "INVALID" })
  expect(asked).toHaveLength(2)
  await clock.advance("5s")
  expect(await client.forKind("example.com/v1", "Widget")).toEqual(widget)
})

test("a failed refresh is repeated", async () => {
  const { client, documents } = server({ "/api": aggregated["/api"]! })
  await expect(client.forKind("example.com/v1", "Widget")).rejects.toMatchObject({ code: "STATUS" })
  documents["/apis"] = aggregated["/apis"]!
  expect(await client.forKind("example.com/v1", "Widget")).toEqual(widget)
})

describe("an unknown kind", () => {
  test.each([
    ["another version", "example.com/v2", "Widget", "it has Widget in example.com/v1; use that apiVersion"],
    ["another spelling", "example.com/v1", "widget", "did you mean Widget?"],
    ["a slip", "example.com/v1", "Wigdet", "did you mean Widget?"],
    ["a slip and another version", "v1", "Widgt", "did you mean Widget of example.com/v1?"],
    ["nothing like it", "example.com/v1", "Gadget", "check the spelling, or install the CustomResourceDefinition"],
  ])("%s", async (_, apiVersion, kind, hint) => {
    await expect(server(aggregated).client.forKind(apiVersion, kind)).rejects.toMatchObject({
      code: "INVALID",
      message: `expected a kind that the server has, found ${apiVersion} ${kind}; ${hint}`,
    })
  })
})

describe("groups that do not answer", () => {
  test("are returned with their errors, beside the resources of the others", async () => {
    const { resources, failed } = await server(legacy).client.discover()
    expect(resources).toEqual([node, widget])
    expect(failed).toMatchObject([{ groupVersion: "metrics.k8s.io/v1beta1" }])
    expect(failed[0]?.message).not.toBe("")
  })

  test("are the stale ones of aggregated discovery", async () => {
    const stale = { metadata: { name: "metrics.k8s.io" }, versions: [{ version: "v1beta1", freshness: "Stale", resources: [] }] }
    const groups = aggregated["/apis"] as { readonly items: readonly object[] }
    const { client } = server({ ...aggregated, "/apis": { ...groups, items: [...groups.items, stale] } })
    const failed = [{ groupVersion: "metrics.k8s.io/v1beta1", message: "stale GroupVersion discovery: metrics.k8s.io/v1beta1" }]
    expect(await client.discover()).toEqual({ resources: [node, widget], failed })
  })
})
