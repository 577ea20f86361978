import { describe, expect, test } from "vitest"
import { objectIn, statusIn } from "../../testing/server.ts"
import { allowed, configMaps, serverWith, webhook } from "./testing/webhooks.ts"

describe("a Service", () => {
  const service = { spec: { ports: [{ name: "https", port: 443 }] } }
  const slice = (ready: boolean) => ({
    metadata: { name: "hook-1", labels: { "kubernetes.io/service-name": "hook" } },
    addressType: "IPv4",
    ports: [{ name: "https", port: 8443 }],
    endpoints: [{ addresses: ["10.0.0.7"], conditions: { ready } }],
  })
  const clientConfig = { service: { name: "hook", namespace: "default", path: "/check" } }
  const calling = 'failed to call webhook: Post "https://hook.default.svc:443/check?timeout=10s": '
  const asked = async (...made: [string, object][]) => {
    const hosts = { "10.0.0.7": () => allowed, "10.0.0.8": () => allowed }
    const { api, reviews } = await serverWith(hosts, { validating: [webhook("a", { clientConfig })] })
    for (const [path, body] of made) objectIn(await api.post(path, body), 201)
    return { response: await api.post(configMaps, { metadata: { name: "c" } }), reviews }
  }
  const services = "/api/v1/namespaces/default/services"
  const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"

  test("is reached at a ready endpoint of its port", async () => {
    const { response, reviews } = await asked([services, { metadata: { name: "hook" }, ...service }], [slices, slice(true)])
    objectIn(response, 201)
    expect(reviews["10.0.0.7"]).toHaveLength(1)
  })

  test("is reached at any of its ready endpoints", async () => {
    const two = { ...slice(true), endpoints: ["10.0.0.7", "10.0.0.8"].map((address) => ({ addresses: [address] })) }
    const { api, reviews } = await serverWith(
      { "10.0.0.7": () => allowed, "10.0.0.8": () => allowed },
      { validating: [webhook("a", { clientConfig })] },
    )
    objectIn(await api.post(services, { metadata: { name: "hook" }, ...service }), 201)
    objectIn(await api.post(slices, two), 201)
    for (let n = 0; n < 40; n++) objectIn(await api.post(configMaps, { metadata: { name: `c${n}` } }), 201)
    for (const calls of Object.values(reviews)) expect(calls.length).toBeGreaterThan(5)
    expect(Object.keys(reviews)).toHaveLength(2)
  })

  test("with a simulated pod behind it is refused at once, as nothing listens there", async () => {
    const node = { metadata: { name: "n", labels: { "pilothouse.dev/simulated": "true" } } }
    const simulated = { ...slice(true), endpoints: [{ addresses: ["10.0.0.7"], nodeName: "n" }] }
    const { response, reviews } = await asked(
      ["/api/v1/nodes", node],
      [services, { metadata: { name: "hook" }, ...service }],
      [slices, simulated],
    )
    expect(statusIn(response).message).toContain(`${calling}dial tcp 10.0.0.7:8443: connect: connection refused`)
    expect(reviews).toEqual({})
  })

  test.each<[string, [string, object][], string]>([
    ["that does not exist", [], 'service "hook" not found'],
    ["without a ready endpoint", [[services, { metadata: { name: "hook" }, ...service }]], 'no endpoints available for service "hook"'],
    [
      "without the port",
      [[services, { metadata: { name: "hook" }, spec: { ports: [{ port: 80 }] } }]],
      'no service port 443 found for service "hook"',
    ],
  ])("%s fails the call", async (_, made, says) => {
    const { response } = await asked(...made)
    expect(statusIn(response).message).toContain(`${calling}${says}`)
  })
})
