import { describe, expect, test } from "vitest"
import { objectIn } from "../testing/server.ts"
import { aggregatingServer, answered, apiServicesPath, prefix } from "./testing/extension-server.ts"

const user = { name: "jane", uid: "7", groups: ["dev, ops", "system:authenticated"], extra: { "example.com/Scopes": ["a", "b"] } }

describe("a request for a group version of an extension server", () => {
  test("goes to an endpoint of its Service, with the user in its headers", async () => {
    const { api, extension, install } = await aggregatingServer({
      frontProxy: { client: () => ({ certificate: "cert", key: "key" }), ca: "ca", allowedNames: ["front-proxy-client"] },
    })
    await install()
    extension.requests.length = 0
    const headers = { authorization: "Bearer secret", "x-remote-user": "root", "x-remote-extra-a": "b", "x-own": "1", te: "trailers" }
    const echo = objectIn(await api.as(user)("GET", `${prefix}/namespaces/default/flunders/a`, { headers, query: { pretty: "true" } }))
    expect(echo).toMatchObject({ kind: "Echo", path: `${prefix}/namespaces/default/flunders/a`, verb: "GET" })
    const [request] = extension.requests
    expect(request?.to).toEqual({
      server: "https://10.0.0.7:8443",
      serverName: "api.wardle.svc",
      caBundle: "ca",
      certificate: "cert",
      key: "key",
      streams: true,
    })
    expect(request?.query).toEqual({ pretty: "true" })
    expect(request?.headers).toEqual({
      "x-own": "1",
      te: "trailers",
      host: "10.0.0.7:8443",
      "x-forwarded-host": "10.0.0.7:8443",
      "x-forwarded-proto": "https",
      "x-forwarded-uri": `${prefix}/namespaces/default/flunders/a`,
      "x-remote-user": "jane",
      "x-remote-uid": "7",
      "x-remote-group": "dev, ops\nsystem:authenticated",
      "x-remote-extra-example.com%2FScopes": "a\nb",
    })
  })

  test("keeps its body, and gets the answer with its code and its headers", async () => {
    const { api, extension, install } = await aggregatingServer()
    await install()
    extension.answer = ({ body }) =>
      answered(
        { kind: "Echo", body: body?.type === "value" ? body.value : undefined },
        { "x-own": "1", "access-control-allow-origin": "*" },
        201,
      )
    const response = await api.post(`${prefix}/namespaces/default/flunders`, { kind: "Flunder" })
    expect(response.status).toBe(201)
    expect(response.headers).toEqual({ "x-own": "1" })
    expect(objectIn(response, 201)).toEqual({ kind: "Echo", body: { kind: "Flunder" } })
  })

  test("goes where it was authorized for, with an escaped slash as one", async () => {
    const { api, extension, install } = await aggregatingServer()
    await install()
    extension.requests.length = 0
    await api.get(`${prefix}/namespaces/default/flunders/a%2Fb%20c`)
    expect(extension.requests.map(({ path }) => path)).toEqual([`${prefix}/namespaces/default/flunders/a/b%20c`])
  })

  test.each([301, 302, 307, 399])("gets no redirect, which a client would follow with its credentials: %i", async (status) => {
    const { api, extension, install } = await aggregatingServer()
    await install()
    extension.answer = () => answered({}, { location: "https://elsewhere.example.com/" }, status)
    const { status: refused, headers, body } = await api.get(`${prefix}/flunders`)
    expect([refused, headers.location]).toEqual([502, undefined])
    const text = body.type === "bytes" && new TextDecoder().decode(body.bytes)
    expect(text).toBe("the backend attempted to redirect this request, which is not permitted")
  })

  test("gets what both servers say of caching", async () => {
    const { api, extension, install } = await aggregatingServer()
    await install()
    extension.answer = () => answered({}, { "cache-control": "max-age=5" })
    expect((await api.get(`${prefix}/flunders`)).headers["cache-control"]).toBe("no-cache, private, max-age=5")
  })

  test("is refused as unavailable while the condition Available is not True", async () => {
    const { api, extension, install } = await aggregatingServer()
    extension.answer = () => answered({}, {}, 401)
    await install()
    const { status, headers, body } = await api.get(`${prefix}/flunders`)
    expect([status, headers["content-type"]]).toEqual([503, "text/plain; charset=utf-8"])
    expect(body.type === "bytes" && new TextDecoder().decode(body.bytes)).toBe("service unavailable\n")
  })

  test.each([999, 600, 199])("leaves an answer of status %i, which could not be passed on", async (status) => {
    const { api, extension, install } = await aggregatingServer()
    await install()
    let left = 0
    const frames = { next: () => new Promise<never>(() => {}), return: async () => ({ done: true as const, value: left++ }) }
    extension.answer = () => ({ status, headers: {}, body: { type: "stream", frames: { [Symbol.asyncIterator]: () => frames } } })
    const response = await api.get(`${prefix}/flunders`)
    expect([response.status, left]).toEqual([503, 1])
    const text = response.body.type === "bytes" && new TextDecoder().decode(response.body.bytes)
    expect(text).toBe(`error trying to reach service: malformed HTTP status code ${status}\n`)
  })

  test("says what the network said when the server goes away", async () => {
    const { api, extension, install } = await aggregatingServer()
    await install()
    extension.answer = () => {
      throw new Error("dial tcp 10.0.0.7:8443: connect: connection refused")
    }
    const { status, body } = await api.get(`${prefix}/flunders`)
    expect(status).toBe(503)
    expect(body.type === "bytes" && new TextDecoder().decode(body.bytes)).toBe(
      "error trying to reach service: dial tcp 10.0.0.7:8443: connect: connection refused\n",
    )
  })
})

test("a metrics server behind its APIService takes the place of the metrics that this server has, until the APIService goes", async () => {
  const own = { prefix: "/apis/metrics.k8s.io/v1beta1", transport: async () => answered({ kind: "NodeMetricsList", items: [] }) }
  const { api, extension, install } = await aggregatingServer({ extensions: [own] })
  await install()
  const nodes = async () => objectIn(await api.get(`${own.prefix}/nodes`))
  expect(await nodes()).toEqual({ kind: "NodeMetricsList", items: [] })
  extension.answer = ({ path }) => answered({ kind: "Echo", path })
  const path = `${apiServicesPath}/v1beta1.metrics.k8s.io`
  const spec = { service: { name: "api", namespace: "wardle", port: 443 }, insecureSkipTLSVerify: true }
  objectIn(await api.patch(path, "merge", { spec }))
  await api.clock.settle()
  expect(await nodes()).toEqual({ kind: "Echo", path: `${own.prefix}/nodes` })
  objectIn(await api.delete(path))
  await api.clock.settle()
  expect(await nodes()).toEqual({ kind: "NodeMetricsList", items: [] })
})
