import { expect, test } from "vitest"
import { everyWay, objectIn, statusIn } from "../testing/server.ts"

const services = "/api/v1/namespaces/default/services"
const service = (spec = {}) => ({ metadata: { name: "a" }, spec: { ports: [{ port: 80 }], ...spec } })
const outside = { externalIPs: ["192.0.2.1"] }
const onlyOutside = 'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services'

everyWay("a Service that becomes another", (testServer) => {
  test.each([
    ["loses its external addresses", outside, { externalIPs: null }],
    ["loses them by an empty list", outside, { externalIPs: [] }],
    ["is no node port any more", { type: "NodePort" }, { type: "ClusterIP" }],
    ["is no balancer any more", { type: "LoadBalancer", externalTrafficPolicy: "Local" }, { type: "ClusterIP" }],
    ["is only a name", outside, { type: "ExternalName", externalName: "a.example" }],
  ])("and %s loses the traffic policy that came with that", async (_what, before, change) => {
    const api = testServer()
    expect(objectIn(await api.post(services, service(before)), 201).spec).toHaveProperty("externalTrafficPolicy")
    expect(objectIn(await api.patch(`${services}/a`, "merge", { spec: change })).spec).not.toHaveProperty("externalTrafficPolicy")
  })

  test.each([
    ["a balancer with external addresses", { type: "LoadBalancer", ...outside }, { type: "ClusterIP" }],
    ["a node port", { type: "NodePort" }, { type: "LoadBalancer", allocateLoadBalancerNodePorts: false }],
  ])("and is reached from outside still keeps its policy: %s", async (_what, before, change) => {
    const api = testServer()
    objectIn(await api.post(services, service({ ...before, externalTrafficPolicy: "Local" })), 201)
    expect(objectIn(await api.patch(`${services}/a`, "merge", { spec: change })).spec).toMatchObject({ externalTrafficPolicy: "Local" })
  })

  test("and is only a name shows no address and no policy inside the cluster", async () => {
    const api = testServer()
    objectIn(await api.post(services, service()), 201)
    const named = await api.patch(`${services}/a`, "merge", { spec: { type: "ExternalName", externalName: "a.example" } })
    expect(objectIn(named).spec).not.toHaveProperty("internalTrafficPolicy")
    expect(objectIn(named).spec).not.toHaveProperty("clusterIP")
  })

  test("and is no balancer any more does not say where one was", async () => {
    const api = testServer()
    objectIn(await api.post(services, service({ type: "LoadBalancer" })), 201)
    const ingress = [{ ip: "192.0.2.1", ipMode: "VIP" }]
    objectIn(await api.patch(`${services}/a/status`, "merge", { status: { loadBalancer: { ingress } } }))
    expect(objectIn(await api.patch(`${services}/a`, "merge", { metadata: { labels: { a: "b" } } })).status).toEqual({
      loadBalancer: { ingress },
    })
    expect(objectIn(await api.patch(`${services}/a`, "merge", { spec: { type: "NodePort" } })).status).toEqual({ loadBalancer: {} })
  })

  test("and keeps its node ports where its new type may have some", async () => {
    const api = testServer()
    const ports = [{ port: 80, nodePort: 30_123 }]
    objectIn(await api.post(services, service({ type: "NodePort", ports })), 201)
    const change = { spec: { type: "LoadBalancer", allocateLoadBalancerNodePorts: false } }
    expect(objectIn(await api.patch(`${services}/a`, "merge", change)).spec).toMatchObject({ ports })
  })

  test.each([
    ["policy", outside, { externalIPs: null, externalTrafficPolicy: "Local" }, onlyOutside],
    [
      "class",
      { type: "LoadBalancer", loadBalancerClass: "example.com/a" },
      { type: "ClusterIP", loadBalancerClass: "example.com/b" },
      "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ],
    [
      "allocation of node ports",
      {},
      { type: "NodePort", allocateLoadBalancerNodePorts: false },
      "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ],
  ])("and is given another %s, which it cannot have, is refused", async (_what, before, change, words) => {
    const api = testServer()
    objectIn(await api.post(services, service(before)), 201)
    expect(statusIn(await api.patch(`${services}/a`, "merge", { spec: change }))).toMatchObject({
      code: 422,
      message: `Service "a" is invalid: ${words}`,
    })
  })
})
