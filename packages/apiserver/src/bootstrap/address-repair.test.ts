import { seededRandom, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { createApiServer } from "../api-server.ts"
import { memoryStorage } from "../storage/memory.ts"
import { objectIn, testServer } from "../testing/server.ts"

const services = "/api/v1/namespaces/default/services"
const addresses = "/apis/networking.k8s.io/v1/ipaddresses"
const cidrs = "/apis/networking.k8s.io/v1/servicecidrs"
const managed = { "ipaddress.kubernetes.io/ip-family": "IPv4", "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io" }
type Api = ReturnType<typeof testServer>

async function withService(): Promise<Api> {
  const api = testServer()
  const body = { metadata: { name: "a" }, spec: { clusterIP: "10.96.0.9", ports: [{ port: 80 }] } }
  objectIn(await api.post(services, body), 201)
  return api
}

async function reasons(api: Api): Promise<readonly string[]> {
  const { items = [] } = objectIn(await api.get("/apis/events.k8s.io/v1/namespaces/default/events"))
  return items.map((event) => `${(event as { reason?: string }).reason}: ${(event as { note?: string }).note}`)
}

const parentRef = { resource: "services", namespace: "default", name: "a" }
const address = (name: string, labels: object | undefined, parent: object = parentRef) => ({
  metadata: { name, labels },
  spec: { parentRef: parent },
})

test("the IPAddress of a Service that a user deletes is recreated", async () => {
  const api = await withService()
  await api.delete(`${addresses}/10.96.0.9`)
  await api.clock.settle()
  expect(objectIn(await api.get(`${addresses}/10.96.0.9`))).toMatchObject({ metadata: { labels: managed }, spec: { parentRef } })
  expect(await reasons(api)).toEqual(["ClusterIPNotAllocated: Cluster IP [IPv4]: 10.96.0.9 is not allocated; repairing"])
})

test("one whose labels a user removes is recreated with them", async () => {
  const api = await withService()
  await api.patch(`${addresses}/10.96.0.9`, "merge", { metadata: { labels: null } })
  await api.clock.settle()
  expect(objectIn(await api.get(`${addresses}/10.96.0.9`)).metadata.labels).toEqual(managed)
})

test("a managed one without a Service goes after a minute", async () => {
  const api = await withService()
  objectIn(await api.post(addresses, address("10.96.0.20", managed, { ...parentRef, name: "none" })), 201)
  await api.clock.advance(59_000)
  expect((await api.get(`${addresses}/10.96.0.20`)).status).toBe(200)
  await api.clock.advance(2_000)
  expect((await api.get(`${addresses}/10.96.0.20`)).status).toBe(404)
  expect(await reasons(api)).toEqual([
    "IPAddressNotAllocated: IPAddress: 10.96.0.20 for Service default/none appears to have leaked: cleaning up",
  ])
})

test("a managed one of a Service with another address goes", async () => {
  const api = await withService()
  objectIn(await api.post(addresses, address("10.96.0.20", managed)), 201)
  await api.clock.settle()
  expect((await api.get(`${addresses}/10.96.0.20`)).status).toBe(404)
  expect(await reasons(api)).toEqual([
    "IPAddressWrongReference: IPAddress: 10.96.0.20 for Service default/a has a wrong reference; cleaning up",
  ])
})

test("a managed one of something else goes", async () => {
  const api = await withService()
  objectIn(await api.post(addresses, address("10.96.0.20", managed, { resource: "gateways", name: "g" })), 201)
  await api.clock.settle()
  expect((await api.get(`${addresses}/10.96.0.20`)).status).toBe(404)
})

test("those of users stay, whatever they name", async () => {
  const api = await withService()
  objectIn(await api.post(addresses, address("10.96.0.20", undefined)), 201)
  objectIn(await api.post(addresses, address("10.96.0.21", { team: "a" }, { resource: "gateways", name: "g" })), 201)
  await api.clock.advance(120_000)
  expect(objectIn(await api.get(addresses)).items).toHaveLength(4)
})

test("a storage without IPAddresses gets one for each Service, and the Services keep their addresses", async () => {
  const storage = memoryStorage()
  const put = (key: string, value: object) =>
    storage.commit([
      {
        key,
        expected: 0,
        make: (revision) =>
          ({ ...value, metadata: { ...(value as { metadata: object }).metadata, resourceVersion: String(revision) } }) as never,
      },
    ])
  const service = (name: string, clusterIPs: readonly string[]) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "default", uid: name },
    spec: { type: "ClusterIP", clusterIP: clusterIPs[0], clusterIPs, ports: [{ port: 80 }] },
  })
  for (let at = 1; at <= 1200; at++) await put(`/registry/services/default/s${at}`, service(`s${at}`, [`10.97.${at >> 8}.${at & 255}`]))
  await put("/registry/services/default/headless", service("headless", ["None"]))
  const clock = new VirtualClock()
  const server = createApiServer({ clock, random: seededRandom(1), storage })
  const get = async (path: string) => objectIn(await server.transport()({ verb: "GET", path, query: {}, headers: {} }))
  const { items = [] } = await get(addresses)
  expect(items).toHaveLength(1201)
  expect((await get(`${addresses}/10.97.4.176`)).spec).toEqual({ parentRef: { resource: "services", namespace: "default", name: "s1200" } })
  expect((await get(`${services}/s1200`)).spec?.clusterIP).toBe("10.97.4.176")
  await clock.settle()
  expect((await get("/apis/events.k8s.io/v1/namespaces/default/events")).items).toEqual([])
  await server.close()
})

test("the default ServiceCIDR is recreated after a deletion, and ready again when its condition is lost", async () => {
  const api = testServer()
  await api.delete(`${cidrs}/kubernetes`)
  await api.clock.advance(11_000)
  const conditions = async () =>
    (objectIn(await api.get(`${cidrs}/kubernetes`)).status as { conditions?: readonly object[] } | undefined)?.conditions
  expect(await conditions()).toMatchObject([{ type: "Ready", status: "True" }])
  objectIn(await api.patch(`${cidrs}/kubernetes/status`, "merge", { status: { conditions: null } }))
  await api.clock.advance(11_000)
  expect(await conditions()).toMatchObject([{ type: "Ready", status: "True" }])
})

test("a range that the flag no longer says is left alone", async () => {
  const storage = memoryStorage()
  const clock = new VirtualClock()
  const start = (serviceClusterIpRange: string) => createApiServer({ clock, random: seededRandom(1), storage, serviceClusterIpRange })
  const first = start("10.0.0.0/24")
  await first.transport()({ verb: "GET", path: cidrs, query: {}, headers: {} })
  const again = start("10.1.0.0/24")
  const found = objectIn(await again.transport()({ verb: "GET", path: `${cidrs}/kubernetes`, query: {}, headers: {} }))
  expect(found.spec?.cidrs).toEqual(["10.0.0.0/24"])
})
