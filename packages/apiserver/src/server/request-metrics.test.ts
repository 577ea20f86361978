import { expect, test } from "vitest"
import { anonymous } from "../authentication/identity.ts"
import { testServer } from "../testing/server.ts"

const pods = "/api/v1/namespaces/default/pods"

test("requests are counted by what was asked for, and how it was answered", async () => {
  const { get, metrics } = testServer()
  for (const path of [pods, pods, `${pods}/absent`, `${pods}/absent/status`]) await get(path)
  const labels = { group: "", version: "v1", resource: "pods", subresource: "", code: "200" }
  expect(metrics.value("apiserver_request_total", { ...labels, verb: "LIST" })).toBe(2)
  expect(metrics.value("apiserver_request_total", { ...labels, verb: "GET", code: "404" })).toBe(1)
  expect(metrics.value("apiserver_request_total", { ...labels, verb: "GET", subresource: "status", code: "404" })).toBe(1)
  expect(metrics.value("apiserver_request_duration_seconds", { verb: "GET", resource: "pods" })).toBe(2)
})

test("subresources that do not exist leave no labels behind", async () => {
  const { get, metrics } = testServer()
  await get(`${pods}/absent/alpha`)
  const before = metrics.text()
  for (const name of ["beta", "gamma"]) await get(`${pods}/absent/${name}`)
  expect(metrics.text().split("\n")).toHaveLength(before.split("\n").length)
  expect(metrics.text()).not.toContain("beta")
})

test("requests that are refused before their verb is done are counted too", async () => {
  const { metrics, transport } = testServer()
  const send = (bytes: Uint8Array, contentType: string) =>
    transport({ verb: "POST", path: pods, query: {}, headers: {}, body: { type: "bytes", bytes, contentType } })
  await send(new TextEncoder().encode("{"), "application/json")
  await send(new TextEncoder().encode("x"), "text/plain")
  await send(new Uint8Array(3 * 1024 * 1024 + 1), "application/json")
  const labels = { group: "", version: "v1", resource: "pods", subresource: "" }
  const count = (verb: string, code: string) => metrics.value("apiserver_request_total", { ...labels, verb, code })
  expect([count("POST", "400"), count("POST", "415"), count("POST", "413")]).toEqual([1, 1, 1])
})

test.each(["over TLS", "over TLS, on disk"] as const)(
  "so is a body that the edge would not read, %s, where it is one of a resource",
  async (way) => {
    const { post, metrics } = testServer(way)
    const large = { metadata: { name: "a" }, data: { text: "x".repeat(3 * 1024 * 1024) } }
    const statuses = []
    for (const path of ["/api/v1/namespaces/default/configmaps", "/api/v1/namespaces/default/nopes", "/nope"]) {
      statuses.push((await post(path, large)).status)
    }
    expect(statuses).toEqual([413, 404, 404])
    const labels = { group: "", version: "v1", resource: "configmaps", subresource: "", verb: "POST", code: "413" }
    expect(metrics.value("apiserver_request_total", labels)).toBe(1)
    expect(metrics.text().match(/^apiserver_request_total\{/gm)).toHaveLength(1)
  },
)

test("what is forbidden, or is no resource, is counted nowhere", async () => {
  const { as, get, metrics } = testServer()
  expect(await as(anonymous)("GET", pods)).toMatchObject({ status: 403 })
  await get("/api/v1/namespaces/default/nopes")
  expect(metrics.text()).not.toMatch(/^apiserver_request_total\{/m)
})
