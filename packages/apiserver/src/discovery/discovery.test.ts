import { allDescriptors } from "@pilothouse/api/descriptors"
import type { HeaderMap, TransportResponse } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { discovery } from "./discovery.ts"
import { servedGroups } from "./groups.ts"

const answer = discovery(servedGroups(allDescriptors))
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

function get(path: string, headers: HeaderMap = {}): TransportResponse | undefined {
  return answer({ verb: "GET", path, query: {}, headers })
}

function bodyOf(response: TransportResponse | undefined): unknown {
  if (response?.body.type !== "bytes") throw new Error(`expected bytes, found ${response?.body.type}`)
  return JSON.parse(Buffer.from(response.body.bytes).toString())
}

describe("aggregated", () => {
  test.each([
    ["as kubectl asks", `${aggregated},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json`],
    ["with parameters in another order", "application/json; as=APIGroupDiscoveryList; v=v2; g=apidiscovery.k8s.io"],
  ])("%s", (_, accept) => {
    const response = get("/apis", { accept })
    expect(response?.body).toMatchObject({ contentType: aggregated })
    expect(response?.headers).toMatchObject({ vary: "Accept", "cache-control": "public", etag: expect.stringMatching(/^"[0-9A-F]{128}"$/) })
    expect(bodyOf(response)).toMatchObject({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2" })
  })

  test("a resource with its subresources", () => {
    const list = bodyOf(get("/apis", { accept: aggregated })) as {
      items: { metadata: { name: string }; versions: { version: string; resources: object[] }[] }[]
    }
    const apps = list.items.find((group) => group.metadata.name === "apps")
    expect(apps?.versions[0]?.resources).toContainEqual({
      resource: "deployments",
      responseKind: { group: "", version: "", kind: "Deployment" },
      scope: "Namespaced",
      singularResource: "deployment",
      verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
      shortNames: ["deploy"],
      categories: ["all"],
      subresources: [
        { subresource: "scale", responseKind: { group: "autoscaling", version: "v1", kind: "Scale" }, verbs: ["get", "patch", "update"] },
        { subresource: "status", responseKind: { group: "", version: "", kind: "Deployment" }, verbs: ["get", "patch", "update"] },
      ],
    })
  })

  test("groups come in upstream's order, the core group under /api only", () => {
    const names = (path: string) =>
      (bodyOf(get(path, { accept: aggregated })) as { items: { metadata: { name?: string } }[] }).items.map(({ metadata }) => metadata.name)
    expect(names("/api")).toEqual([undefined])
    expect(names("/apis").slice(0, 3)).toEqual(["apiregistration.k8s.io", "apps", "events.k8s.io"])
  })

  test("a client with the current ETag gets 304", () => {
    const etag = get("/apis", { accept: aggregated })?.headers.etag ?? ""
    expect(get("/apis", { accept: aggregated, "if-none-match": etag })?.status).toBe(304)
    expect(get("/apis", { accept: "application/json", "if-none-match": etag })?.status).toBe(200)
  })
})

describe("legacy", () => {
  test("/api", () => {
    expect(bodyOf(get("/api", { host: "127.0.0.1:6443" }))).toEqual({
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "127.0.0.1:6443" }],
    })
  })

  test("/apis/autoscaling prefers v2", () => {
    const v2 = { groupVersion: "autoscaling/v2", version: "v2" }
    expect(bodyOf(get("/apis/autoscaling"))).toEqual({
      kind: "APIGroup",
      apiVersion: "v1",
      name: "autoscaling",
      versions: [v2, { groupVersion: "autoscaling/v1", version: "v1" }],
      preferredVersion: v2,
    })
  })

  test("/apis lists the same groups", () => {
    const { groups } = bodyOf(get("/apis")) as { groups: { name: string }[] }
    expect(groups[1]).toMatchObject({ name: "apps", preferredVersion: { groupVersion: "apps/v1" } })
    expect(groups.some(({ name }) => name === "")).toBe(false)
  })

  test("/api/v1 has resources before their subresources, and hashes as upstream has them", () => {
    const { resources } = bodyOf(get("/api/v1/")) as { resources: { name: string; storageVersionHash?: string }[] }
    const names = resources.map(({ name }) => name)
    expect(names.indexOf("pods")).toBeLessThan(names.indexOf("pods/status"))
    expect(resources.find(({ name }) => name === "configmaps")?.storageVersionHash).toBe("qFsyl6wFWjQ=")
    expect(resources.find(({ name }) => name === "bindings")).not.toHaveProperty("storageVersionHash")
    expect(resources.find(({ name }) => name === "pods/eviction")).toEqual({
      name: "pods/eviction",
      singularName: "",
      namespaced: true,
      group: "policy",
      version: "v1",
      kind: "Eviction",
      verbs: ["create"],
    })
  })

  test("a kind stored in another version has that one's hash", () => {
    const hash = (path: string) => (bodyOf(get(path)) as { resources: { storageVersionHash: string }[] }).resources[0]?.storageVersionHash
    expect(hash("/apis/autoscaling/v1")).toBe("qwQve8ut294=")
    expect(hash("/apis/autoscaling/v2")).toBe("qwQve8ut294=")
    expect(hash("/apis/events.k8s.io/v1")).toBe("r2yiGXH7wu8=")
  })
})

test.each(["/apis/nothing", "/apis/apps/v2", "/api/v2", "/api/v1/pods", "/apis/apps/v1/deployments", "/version", "/"])(
  "%s is not discovery's",
  (path) => {
    expect(get(path)).toBeUndefined()
  },
)

test("only reading is", () => {
  expect(answer({ verb: "POST", path: "/api", query: {}, headers: {} })).toBeUndefined()
})
