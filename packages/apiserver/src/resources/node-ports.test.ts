import { expect, test } from "vitest"
import { staticBand } from "../services/node-port-range.ts"
import { everyWay, objectIn, statusIn } from "../testing/server.ts"

const services = "/api/v1/namespaces/default/services"
const service = (name: string, ports: readonly object[] = [{ port: 80 }]) => ({ metadata: { name }, spec: { type: "NodePort", ports } })
const portsOf = ({ spec = {} }: { readonly spec?: Readonly<Record<string, unknown>> }) =>
  (spec.ports as readonly { readonly nodePort: number }[]).map(({ nodePort }) => nodePort)

test.each([
  ["the usual range", 30_000, 32_767, 86],
  ["a small one", 30_000, 30_015, 0],
  ["one port more", 30_000, 30_016, 16],
  ["a large one", 20_000, 30_000, 128],
])("of %s the lowest ports are left to who asks for one", (_what, first, last, band) => {
  expect(staticBand({ first, last })).toBe(band)
})

everyWay("node ports", (testServer) => {
  test("come of the range that the server was given", async () => {
    const api = testServer({ serviceNodePortRange: { first: 31_000, last: 31_002 } })
    const given: number[] = []
    for (const name of ["a", "b", "c"]) given.push(...portsOf(objectIn(await api.post(services, service(name)), 201)))
    expect(given.toSorted()).toEqual([31_000, 31_001, 31_002])
    expect(statusIn(await api.post(services, service("d")))).toMatchObject({ code: 500, message: expect.stringContaining("range is full") })
    expect(statusIn(await api.post(services, service("d", [{ port: 80, nodePort: 30_500 }])))).toMatchObject({
      code: 422,
      message:
        'Service "d" is invalid: spec.ports[0].nodePort: Invalid value: 30500: provided port is not in the valid range. The range of valid ports is 31000-31002',
    })
    await api.delete(`${services}/b`)
    expect(portsOf(objectIn(await api.post(services, service("d")), 201))).toEqual([given[1]])
  })

  test("that are allocated come from the upper band, and from the lower one when that is full", async () => {
    const api = testServer({ serviceNodePortRange: { first: 31_000, last: 31_019 } })
    const given: number[] = []
    for (let index = 0; index < 5; index++) given.push(...portsOf(objectIn(await api.post(services, service(`s${index}`)), 201)))
    expect(given.slice(0, 4).sort()).toEqual([31_016, 31_017, 31_018, 31_019])
    expect(given[4]).toBeLessThan(31_016)
  })

  test("belong to one Service, whatever the protocol; the same Service may have one for several (seen)", async () => {
    const api = testServer()
    objectIn(await api.post(services, service("tcp", [{ port: 80, nodePort: 30_005 }])), 201)
    expect(statusIn(await api.post(services, service("udp", [{ port: 80, nodePort: 30_005, protocol: "UDP" }])))).toMatchObject({
      code: 422,
      message: 'Service "udp" is invalid: spec.ports[0].nodePort: Invalid value: 30005: provided port is already allocated',
    })
    const twins = [
      { name: "a", port: 80, nodePort: 30_006 },
      { name: "b", port: 80, nodePort: 30_006, protocol: "UDP" },
    ]
    objectIn(await api.post(services, service("both", twins)), 201)
    const free = [
      { name: "a", port: 53, protocol: "TCP" },
      { name: "b", port: 53, protocol: "UDP" },
    ]
    expect(new Set(portsOf(objectIn(await api.post(services, service("free", free)), 201))).size).toBe(1)
  })

  const two = (other: object) => [
    { name: "a", port: 80, nodePort: 30_555 },
    { name: "b", port: 81, nodePort: 30_555, ...other },
  ]
  const taken = "spec.ports[1].nodePort: Invalid value: 30555: provided port is already allocated"
  const forbidden = (index: number) => `spec.ports[${index}].nodePort: Forbidden: may not be used when \`type\` is 'ClusterIP'`
  const twice = "spec.ports[1].nodePort: Duplicate value: 30555"

  test.each<[string, object, readonly string[]]>([
    ["for two ports", { ports: two({}) }, [taken]],
    ["for two ports of two protocols", { ports: two({ protocol: "UDP" }) }, [taken]],
    ["inside the cluster", { type: "ClusterIP", ports: two({}) }, [forbidden(0), forbidden(1), twice]],
    ["for one port", { ports: two({ port: 80 }) }, [twice, expect.stringContaining("spec.ports[1]: Duplicate value: ")]],
  ])("a new Service may not have one twice %s", async (_what, spec, causes) => {
    const { details } = statusIn(await testServer().post(services, { metadata: { name: "a" }, spec: { type: "NodePort", ...spec } }))
    expect(details?.causes?.map(({ field, message }) => `${field}: ${message}`)).toEqual(causes)
  })

  test("a Service that changes may have one twice, for two protocols", async () => {
    const api = testServer()
    const [first, second] = two({ protocol: "UDP" })
    objectIn(await api.post(services, service("a", [first!])), 201)
    objectIn(await api.put(`${services}/a`, service("a", [first!, second!])))
  })

  test.each([
    ["out of the range", 80],
    ["that another has", 30_556],
  ])("a Service inside the cluster has none, not one %s either", async (_what, nodePort) => {
    const api = testServer()
    objectIn(await api.post(services, service("other", [{ port: 80, nodePort: 30_556 }])), 201)
    const made = await api.post(services, { metadata: { name: "a" }, spec: { ports: [{ port: 80, nodePort }] } })
    expect(statusIn(made)).toMatchObject({ code: 422, message: `Service "a" is invalid: ${forbidden(0)}` })
  })
})
