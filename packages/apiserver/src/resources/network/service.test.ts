import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn } from "../../testing/server.ts"

const services = "/api/v1/namespaces/default/services"
const service = (name: string, spec = {}) => ({ metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } })

everyWay("services", (testServer) => {
  test("every service gets an address of its own, and gives it back", async () => {
    const api = testServer({ serviceClusterIpRange: "10.0.0.0/28" })
    const made = []
    for (let index = 0; index < 13; index++) made.push(objectIn(await api.post(services, service(`s${index}`)), 201))
    const addresses = made.map(({ spec }) => spec?.clusterIP)
    expect(new Set([...addresses, "10.0.0.1"]).size).toBe(14)
    expect((await api.post(services, service("more"))).status).toBe(500)
    await api.delete(`${services}/s3`)
    expect(objectIn(await api.post(services, service("more")), 201).spec).toMatchObject({
      clusterIP: addresses[3],
      clusterIPs: [addresses[3]],
    })
  })

  test("the lowest addresses are left to who asks for one, while there are others", async () => {
    const api = testServer({ serviceClusterIpRange: "10.0.0.0/27" })
    const last = async (name: string) =>
      Number(String(objectIn(await api.post(services, service(name)), 201).spec?.clusterIP).split(".")[3])
    const given: number[] = []
    for (let index = 0; index < 16; index++) given.push(await last(`s${index}`))
    expect(given.slice(0, 14).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 14 }, (_, index) => 17 + index))
    expect(Math.max(...given.slice(14))).toBeLessThan(17)
  })

  test("what a refused service had taken is free again", async () => {
    const api = testServer({ serviceClusterIpRange: "10.0.0.0/29", serviceNodePortRange: { first: 31_000, last: 31_000 } })
    const two = [
      { name: "a", port: 80 },
      { name: "b", port: 81 },
    ]
    for (let index = 0; index < 10; index++) {
      expect((await api.post(services, service(`s${index}`, { type: "NodePort", ports: two }))).status).toBe(500)
    }
    objectIn(await api.post(services, service("a", { type: "NodePort" })), 201)
    for (const name of ["b", "c", "d", "e"]) objectIn(await api.post(services, service(name)), 201)
  })

  test("an address can be asked for once, inside the range", async () => {
    const api = testServer()
    objectIn(await api.post(services, service("a", { clusterIP: "10.96.0.10" })), 201)
    const taken = statusIn(await api.post(services, service("b", { clusterIP: "10.96.0.10" })))
    expect(taken.code).toBe(422)
    expect(taken.message).toContain("provided IP is already allocated")
    expect(statusIn(await api.post(services, service("b", { clusterIP: "10.0.0.1" }))).message).toContain(
      "the provided network does not match the current range",
    )
  })

  test("headless and ExternalName services have none", async () => {
    const api = testServer()
    expect(objectIn(await api.post(services, service("a", { clusterIP: "None" })), 201).spec).toMatchObject({
      clusterIP: "None",
      clusterIPs: ["None"],
    })
    const external = objectIn(
      await api.post(services, { metadata: { name: "b" }, spec: { type: "ExternalName", externalName: "x.org" } }),
      201,
    )
    expect(external.spec).not.toHaveProperty("clusterIP")
  })

  test("node ports come and go with the type; the address stays", async () => {
    const api = testServer()
    const made = objectIn(await api.post(services, service("a", { type: "NodePort" })), 201)
    const port = (made.spec?.ports as { nodePort: number }[] | undefined)?.[0]
    expect(port!.nodePort).toBeGreaterThanOrEqual(30000)
    expect(objectIn(await api.put(`${services}/a`, service("a", { type: "NodePort" }))).spec).toEqual(made.spec)
    const inner = objectIn(await api.patch(`${services}/a`, "merge", { spec: { type: "ClusterIP" } }))
    expect(inner.spec).toMatchObject({
      clusterIP: made.spec?.clusterIP,
      ports: [expect.not.objectContaining({ nodePort: expect.anything() })],
    })
    const again = service("b", { type: "NodePort", ports: [{ port: 80, nodePort: port!.nodePort }] })
    objectIn(await api.post(services, again), 201)
    expect(statusIn(await api.post(services, { ...again, metadata: { name: "c" } })).message).toContain(
      "provided port is already allocated",
    )
  })

  test("a load balancer with local traffic has a port for its health checks", async () => {
    const api = testServer()
    const made = objectIn(await api.post(services, service("a", { type: "LoadBalancer", externalTrafficPolicy: "Local" })), 201)
    expect(made.spec).toMatchObject({ allocateLoadBalancerNodePorts: true, healthCheckNodePort: expect.any(Number) })
  })

  test("what fails or is only tried takes nothing", async () => {
    const api = testServer()
    await api.post(services, service("a", { clusterIP: "10.96.0.10", ports: [] }))
    await api.post(services, service("a", { clusterIP: "10.96.0.10" }), { dryRun: "All" })
    objectIn(await api.post(services, service("a", { clusterIP: "10.96.0.10" })), 201)
  })

  test("of many at once that want one address, one gets it", async () => {
    const api = testServer()
    const answers = await Promise.all(["a", "b", "c"].map((name) => api.post(services, service(name, { clusterIP: "10.96.0.10" }))))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422])
  })

  test("an address may not change once set", async () => {
    const api = testServer()
    await api.post(services, service("a"))
    const status = statusIn(await api.patch(`${services}/a`, "merge", { spec: { clusterIP: "10.96.0.77", clusterIPs: ["10.96.0.77"] } }))
    expect(status.message).toContain('spec.clusterIPs[0]: Invalid value: ["10.96.0.77"]: may not change once set')
  })
})
