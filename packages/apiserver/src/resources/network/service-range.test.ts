import { describe, expect, test } from "vitest"
import { everyWay, objectIn, statusIn, testServer } from "../../testing/server.ts"

const services = "/api/v1/namespaces/default/services"
const cidrs = "/apis/networking.k8s.io/v1/servicecidrs"
const addresses = "/apis/networking.k8s.io/v1/ipaddresses"
const service = (name: string, spec = {}) => ({ metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } })
const range = (name: string, ...texts: readonly string[]) => ({ metadata: { name }, spec: { cidrs: texts } })
const reserved = (name: string, parentRef: object = { resource: "gateways", name: "g" }) => ({ metadata: { name }, spec: { parentRef } })
type Api = ReturnType<typeof testServer>

async function names(api: Api, path: string): Promise<readonly string[]> {
  const { items = [] } = objectIn(await api.get(path))
  return items.map(({ metadata }) => metadata.name ?? "")
}

async function clusterIp(api: Api, name: string): Promise<string> {
  return String(objectIn(await api.post(services, service(name)), 201).spec?.clusterIP)
}

everyWay("the ranges of Services", (serverOf) => {
  test("a fresh server has the range of its flag and the address of the API", async () => {
    const api = serverOf({ serviceClusterIpRange: "10.0.0.9/24" })
    expect(objectIn(await api.get(`${cidrs}/kubernetes`))).toMatchObject({
      spec: { cidrs: ["10.0.0.0/24"] },
      status: { conditions: [{ type: "Ready", status: "True", message: "Kubernetes default Service CIDR is ready" }] },
    })
    expect(objectIn(await api.get(`${addresses}/10.0.0.1`))).toMatchObject({
      metadata: { labels: { "ipaddress.kubernetes.io/ip-family": "IPv4", "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io" } },
      spec: { parentRef: { resource: "services", namespace: "default", name: "kubernetes" } },
    })
  })

  test("a Service comes and goes with the IPAddress of its address", async () => {
    const api = serverOf()
    const address = await clusterIp(api, "a")
    expect(objectIn(await api.get(`${addresses}/${address}`)).spec).toEqual({
      parentRef: { resource: "services", namespace: "default", name: "a" },
    })
    await api.delete(`${services}/a`)
    expect((await api.get(`${addresses}/${address}`)).status).toBe(404)
  })

  test("a Service that a write of its status creates has no address, and gets none later", async () => {
    const api = serverOf()
    const created = objectIn(
      await api.put(`${services}/a/status`, { ...service("a"), status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } } }),
      201,
    )
    expect(created).toMatchObject({ spec: { ports: [{ port: 80 }], type: "ClusterIP" }, status: { loadBalancer: {} } })
    expect(created.spec).not.toHaveProperty("clusterIP")
    const updated = objectIn(await api.patch(`${services}/a`, "merge", { spec: { publishNotReadyAddresses: true } }))
    expect(updated.spec).not.toHaveProperty("clusterIP")
    expect(await names(api, addresses)).toEqual(["10.96.0.1"])
  })

  test("a headless or external Service has none; one that becomes external gives it back", async () => {
    const api = serverOf()
    objectIn(await api.post(services, service("headless", { clusterIP: "None" })), 201)
    objectIn(await api.post(services, service("outside", { type: "ExternalName", externalName: "example.com" })), 201)
    const address = await clusterIp(api, "a")
    expect(await names(api, addresses)).toEqual(["10.96.0.1", address].toSorted())
    const external = { spec: { type: "ExternalName", externalName: "example.com", clusterIP: null, clusterIPs: null } }
    objectIn(await api.patch(`${services}/a`, "merge", external))
    expect(await names(api, addresses)).toEqual(["10.96.0.1"])
    const inside = objectIn(await api.patch(`${services}/a`, "merge", { spec: { type: "ClusterIP", externalName: null } }))
    expect(await names(api, addresses)).toEqual(["10.96.0.1", String(inside.spec?.clusterIP)].toSorted())
  })

  test("a dry run leaves no address behind", async () => {
    const api = serverOf()
    objectIn(await api.post(services, service("a"), { dryRun: "All" }), 201)
    expect(await names(api, addresses)).toEqual(["10.96.0.1"])
    await clusterIp(api, "a")
    await api.delete(`${services}/a`, undefined, { dryRun: "All" })
    expect(await names(api, addresses)).toHaveLength(2)
  })

  test("a refused Service leaves no address behind", async () => {
    const api = serverOf()
    await clusterIp(api, "a")
    expect((await api.post(services, service("a"))).status).toBe(409)
    expect((await api.post(services, service("Not-A-Name"))).status).toBe(422)
    expect(await names(api, addresses)).toHaveLength(2)
  })

  test("another range is used when the first one is full, and by request", async () => {
    const api = serverOf({ serviceClusterIpRange: "10.0.0.0/30" })
    expect(await clusterIp(api, "a")).toBe("10.0.0.2")
    const full = statusIn(await api.post(services, service("b")))
    expect([full.code, full.message]).toEqual([
      500,
      'Internal error occurred: failed to allocate a serviceIP for Service "b": range is full',
    ])
    objectIn(await api.post(cidrs, range("more", "10.1.0.0/30")), 201)
    expect(["10.1.0.1", "10.1.0.2"]).toContain(await clusterIp(api, "b"))
    expect(await clusterIp(api, "c")).toMatch(/^10\.1\.0\.[12]$/)
    expect((await api.post(services, service("d"))).status).toBe(500)
  })

  test("a range that is not ready, or is deleted, gives out nothing and frees what it gave", async () => {
    const api = serverOf()
    objectIn(await api.post(cidrs, { ...range("more", "10.1.0.0/24"), metadata: { name: "more", finalizers: ["example.com/held"] } }), 201)
    const held = service("a", { clusterIP: "10.1.0.9" })
    objectIn(await api.post(services, held), 201)
    const condition = { type: "Ready", status: "False", reason: "Closed", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }
    objectIn(await api.patch(`${cidrs}/more/status`, "merge", { status: { conditions: [condition] } }))
    const refusal = "failed to allocate IP 10.1.0.10: the provided network does not match the current range"
    expect(statusIn(await api.post(services, service("b", { clusterIP: "10.1.0.10" }))).message).toContain(refusal)
    objectIn(await api.patch(`${cidrs}/more/status`, "merge", { status: { conditions: [{ ...condition, status: "True" }] } }))
    objectIn(await api.post(services, service("b", { clusterIP: "10.1.0.10" })), 201)
    await api.delete(`${cidrs}/more`)
    expect(statusIn(await api.post(services, service("c", { clusterIP: "10.1.0.11" }))).code).toBe(422)
    await api.delete(`${services}/a`)
    expect((await api.get(`${addresses}/10.1.0.9`)).status).toBe(404)
  })

  test("two ServiceCIDRs of one range: it is there while one of them is", async () => {
    const api = serverOf()
    for (const name of ["one", "two"]) objectIn(await api.post(cidrs, range(name, "10.1.0.0/24")), 201)
    await api.delete(`${cidrs}/one`)
    objectIn(await api.post(services, service("a", { clusterIP: "10.1.0.9" })), 201)
    await api.delete(`${cidrs}/two`)
    expect((await api.post(services, service("b", { clusterIP: "10.1.0.10" }))).status).toBe(422)
  })

  test("an address that a user has reserved is not given to a Service", async () => {
    const api = serverOf({ serviceClusterIpRange: "10.0.0.0/29" })
    for (const last of [2, 3, 4, 5]) objectIn(await api.post(addresses, reserved(`10.0.0.${last}`)), 201)
    expect(await clusterIp(api, "a")).toBe("10.0.0.6")
    const taken = statusIn(await api.post(services, service("b", { clusterIP: "10.0.0.3" })))
    expect(taken.message).toContain("failed to allocate IP 10.0.0.3: provided IP is already allocated")
    await api.delete(`${addresses}/10.0.0.3`)
    objectIn(await api.post(services, service("b", { clusterIP: "10.0.0.3" })), 201)
  })
})

describe("refusals", () => {
  const immutable = "field is immutable"
  test.each([
    { texts: [], message: "spec.cidrs: Required value: at least one CIDR required" },
    { texts: ["10.0.0.0/8", "fd00::/64", "10.1.0.0/16"], message: "may only hold up to 2 values" },
    { texts: ["10.0.0.0"], message: "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)" },
    { texts: ["10.0.0.1/8"], message: "must not have bits set beyond the prefix length" },
    { texts: ["FD00::/64"], message: 'must be in canonical form ("fd00::/64")' },
    {
      texts: ["10.0.0.0/8", "10.1.0.0/16"],
      message: "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64",
    },
  ])("a ServiceCIDR with $texts", async ({ texts, message }) => {
    const refused = statusIn(await testServer().post(cidrs, range("more", ...texts)))
    expect(refused.code).toBe(422)
    expect(refused.message).toContain(message)
  })

  test.each([
    { change: ["10.2.0.0/16"], code: 422, message: `spec.cidrs[0]: Invalid value: "10.2.0.0/16": ${immutable}` },
    { change: ["10.2.0.0/16", "fd00::/64"], code: 422, message: `spec.cidrs[0]: Invalid value: "10.2.0.0/16": ${immutable}` },
    { change: ["10.1.0.0/16", "10.2.0.0/16"], code: 422, message: "may specify no more than one IP for each IP family" },
    { change: ["10.1.0.0/16", "fd00::/64"], code: 200, message: "" },
  ])("a change to $change", async ({ change, code, message }) => {
    const api = testServer()
    objectIn(await api.post(cidrs, range("more", "10.1.0.0/16")), 201)
    const answer = await api.patch(`${cidrs}/more`, "merge", { spec: { cidrs: change } })
    expect(answer.status).toBe(code)
    if (code !== 200) expect(statusIn(answer).message).toContain(message)
  })

  test.each([
    { name: "not-an-address", message: "must be a valid IP address" },
    { name: "10.0.0.01", message: "must not have leading 0s" },
    { name: "::ffff:10.0.0.1", message: "must not be an IPv4-mapped IPv6 address" },
    { name: "fd00:0::1", message: 'must be in canonical form ("fd00::1")' },
  ])("an IPAddress named $name", async ({ name, message }) => {
    expect(statusIn(await testServer().post(addresses, reserved(name))).message).toContain(message)
  })

  test.each([
    { parent: undefined, message: "spec.parentRef: Required value" },
    { parent: { name: "g" }, message: "spec.parentRef.resource: Required value" },
    { parent: { resource: "gateways" }, message: "spec.parentRef.name: Required value" },
    { parent: { resource: "a/b", name: "g" }, message: "may not contain '/'" },
    { parent: { group: "Not_A_Group", resource: "gateways", name: "g" }, message: "spec.parentRef.group: Invalid value" },
  ])("an IPAddress of $parent", async ({ parent, message }) => {
    const answer = await testServer().post(addresses, {
      metadata: { name: "192.0.2.1" },
      spec: parent === undefined ? {} : { parentRef: parent },
    })
    expect(statusIn(answer).message).toContain(message)
  })

  test("an IPAddress keeps its parent", async () => {
    const api = testServer()
    objectIn(await api.post(addresses, reserved("192.0.2.1")), 201)
    const changed = await api.patch(`${addresses}/192.0.2.1`, "merge", { spec: { parentRef: { name: "other" } } })
    expect(statusIn(changed).message).toContain(immutable)
    objectIn(await api.patch(`${addresses}/192.0.2.1`, "merge", { metadata: { labels: { team: "a" } } }))
  })
})
