import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn } from "../testing/server.ts"

const services = "/api/v1/namespaces/default/services"
const service = (name: string, spec = {}) => ({ metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } })
const local = { type: "LoadBalancer", externalTrafficPolicy: "Local" }
const onlyLocal = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"

everyWay("the port for health checks", (testServer) => {
  test.each([
    ["that another has", { healthCheckNodePort: 31000 }, "31000: provided port is already allocated"],
    ["that is another's node port", { healthCheckNodePort: 31001 }, "31001: provided port is already allocated"],
    [
      "that is its own node port",
      { healthCheckNodePort: 31002, ports: [{ port: 80, nodePort: 31002 }] },
      "31002: provided port is already allocated",
    ],
    [
      "out of the range",
      { healthCheckNodePort: 80 },
      "80: provided port is not in the valid range. The range of valid ports is 30000-32767",
    ],
  ])("one %s is refused", async (_, spec, words) => {
    const api = testServer()
    objectIn(await api.post(services, service("a", { ...local, healthCheckNodePort: 31000, ports: [{ port: 80, nodePort: 31001 }] })), 201)
    expect(statusIn(await api.post(services, service("b", { ...local, ...spec })))).toMatchObject({
      code: 500,
      message: `Internal error occurred: failed to allocate requested HealthCheck NodePort ${words}`,
    })
    // What was refused has taken nothing.
    objectIn(await api.post(services, service("c", { ...local, healthCheckNodePort: 31002 })), 201)
  })

  test.each([
    ["inside the cluster", { type: "ClusterIP" }],
    ["with node ports only", { type: "NodePort", externalTrafficPolicy: "Local" }],
    ["with traffic from everywhere", { type: "LoadBalancer" }],
  ])("a service %s has none", async (_, spec) => {
    const api = testServer()
    expect(statusIn(await api.post(services, service("a", { ...spec, healthCheckNodePort: 31000 })))).toMatchObject({
      code: 422,
      message: `Service "a" is invalid: spec.healthCheckNodePort: Invalid value: 31000: ${onlyLocal}`,
    })
  })

  test("it stays, whatever a client leaves out or asks for", async () => {
    const api = testServer()
    objectIn(await api.post(services, service("a", { ...local, healthCheckNodePort: 31000 })), 201)
    expect(statusIn(await api.patch(`${services}/a`, "merge", { spec: { healthCheckNodePort: 31005 } }))).toMatchObject({
      code: 422,
      message: 'Service "a" is invalid: spec.healthCheckNodePort: Forbidden: field is immutable',
    })
    const kept = objectIn(await api.patch(`${services}/a`, "merge", { spec: { healthCheckNodePort: 0 } }))
    expect(kept.spec).toMatchObject({ healthCheckNodePort: 31000 })
    expect(objectIn(await api.put(`${services}/a`, service("a", local))).spec).toMatchObject({ healthCheckNodePort: 31000 })
  })

  test("it goes with the local traffic, and another may have it", async () => {
    const api = testServer()
    objectIn(await api.post(services, service("a", { ...local, healthCheckNodePort: 31000 })), 201)
    const open = objectIn(await api.patch(`${services}/a`, "merge", { spec: { externalTrafficPolicy: "Cluster" } }))
    expect(open.spec).not.toHaveProperty("healthCheckNodePort")
    objectIn(await api.post(services, service("b", { ...local, healthCheckNodePort: 31000 })), 201)
    const back = objectIn(await api.patch(`${services}/a`, "merge", { spec: { externalTrafficPolicy: "Local" } }))
    expect(back.spec?.healthCheckNodePort).not.toBe(31000)
    expect(back.spec?.healthCheckNodePort).toBeGreaterThanOrEqual(30000)
  })
})
