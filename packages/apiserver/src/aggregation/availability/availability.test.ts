import { expect, test } from "vitest"
import { memoryStorage } from "../../storage/memory.ts"
import { objectIn, testServer } from "../../testing/server.ts"
import {
  aggregatingServer,
  answered,
  apiService,
  apiServicePath,
  apiServicesPath,
  endpointSlice,
  prefix,
  service,
  working,
} from "../testing/extension-server.ts"

const services = "/api/v1/namespaces/wardle/services"
const slices = "/apis/discovery.k8s.io/v1/namespaces/wardle/endpointslices"
const available = { type: "Available", status: "True", reason: "Passed", message: "all checks passed" }

function unavailable(reason: string, message: string): object {
  return { type: "Available", status: "False", reason, message }
}

test("the condition follows what is missing, step by step", async () => {
  const { api, condition } = await aggregatingServer()
  const settled = async () => {
    await api.clock.settle()
    return condition()
  }
  objectIn(await api.post(apiServicesPath, apiService()), 201)
  expect(await settled()).toMatchObject(unavailable("ServiceNotFound", 'service/api in "wardle" is not present'))
  objectIn(await api.post(services, { ...service, spec: { ports: [{ name: "https", port: 444 }] } }), 201)
  expect(await settled()).toMatchObject(unavailable("ServicePortError", 'service/api in "wardle" is not listening on port 443'))
  await api.patch(`${services}/api`, "merge", service)
  expect(await settled()).toMatchObject(unavailable("EndpointsNotFound", 'cannot find endpointslices for service/api in "wardle"'))
  objectIn(await api.post(slices, endpointSlice(["10.0.0.7"], [{ name: "http", port: 80 }])), 201)
  const message = 'endpointslices for service/api in "wardle" have no addresses with port name "https"'
  expect(await settled()).toMatchObject(unavailable("MissingEndpoints", message))
  await api.patch(`${slices}/api`, "merge", { ports: [{ name: "https", port: 8443 }] })
  expect(await settled()).toMatchObject(available)
  await api.delete(`${slices}/api`)
  expect(await settled()).toMatchObject(unavailable("EndpointsNotFound", 'cannot find endpointslices for service/api in "wardle"'))
})

test("a server that refuses the check is not available, and is once it answers", async () => {
  const { api, extension, condition, install } = await aggregatingServer()
  extension.answer = () => answered({}, {}, 401)
  await install()
  const url = "https://10.0.0.7:8443/apis/wardle.example.com/v1alpha1"
  const message = `failing or missing response from ${url}: bad status from ${url}: 401`
  expect(await condition()).toMatchObject(unavailable("FailedDiscoveryCheck", message))
  extension.answer = working
  await api.clock.advance(30_000)
  expect(await condition()).toMatchObject(available)
})

test("a server that never answers is given up after 5 s, and checked again", async () => {
  const { api, extension, condition, install } = await aggregatingServer()
  extension.answer = () => new Promise(() => {})
  await install()
  expect(await condition()).toBeUndefined()
  await api.clock.advance(5000)
  const url = "https://10.0.0.7:8443/apis/wardle.example.com/v1alpha1"
  const why = `Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`
  expect(await condition()).toMatchObject(unavailable("FailedDiscoveryCheck", `failing or missing response from ${url}: ${why}`))
})

test("checks are made as system:kube-aggregator, five at once, and again every 30 s", async () => {
  const { api, extension, install } = await aggregatingServer()
  await install()
  const checks = () => extension.requests.filter(({ path }) => path === "/apis/wardle.example.com/v1alpha1")
  expect(checks().map(({ headers }) => [headers["x-remote-user"], headers["x-remote-group"]])).toEqual(
    Array.from({ length: 5 }, () => ["system:kube-aggregator", "system:masters"]),
  )
  await api.clock.advance(29_999)
  expect(checks()).toHaveLength(5)
  await api.clock.advance(1)
  expect(checks()).toHaveLength(10)
})

test("a time of transition moves with the status alone", async () => {
  const { api, extension, condition, install } = await aggregatingServer()
  await install()
  const first = (await condition()) as { readonly lastTransitionTime: string }
  extension.answer = () => answered({}, {}, 500)
  await api.clock.advance(30_000)
  const second = (await condition()) as { readonly lastTransitionTime: string }
  expect(second).toMatchObject({ status: "False" })
  expect(second.lastTransitionTime).not.toBe(first.lastTransitionTime)
  extension.answer = () => answered({}, {}, 501)
  await api.clock.advance(60_000)
  expect(await condition()).toMatchObject({ status: "False", lastTransitionTime: second.lastTransitionTime })
})

test("nothing is checked any more once the APIService is gone, or is local", async () => {
  const { api, extension, install } = await aggregatingServer()
  await install()
  objectIn(await api.delete(apiServicePath))
  await api.clock.settle()
  extension.requests.length = 0
  await api.clock.advance(120_000)
  expect(extension.requests).toEqual([])
})

test("what is unavailable is counted under kube-apiserver's names", async () => {
  const { api, extension, install } = await aggregatingServer()
  const series = () =>
    api.metrics
      .text()
      .split("\n")
      .filter((line) => line.startsWith("aggregator_unavailable_apiservice") && line.includes("wardle"))
  const name = 'name="v1alpha1.wardle.example.com"'
  await install()
  expect(series()).toEqual([`aggregator_unavailable_apiservice{${name}} 0`])
  extension.answer = () => answered({}, {}, 500)
  await api.clock.advance(30_000)
  expect(series()).toEqual([
    `aggregator_unavailable_apiservice{${name}} 1`,
    `aggregator_unavailable_apiservice_total{${name},reason="FailedDiscoveryCheck"} 1`,
  ])
  await api.clock.advance(60_000)
  expect(series()).toHaveLength(2)
  await api.delete(apiServicePath)
  expect(series()).toEqual([`aggregator_unavailable_apiservice_total{${name},reason="FailedDiscoveryCheck"} 1`])
})

test("a local APIService has a series of value 0 while it is there", async () => {
  const { api } = await aggregatingServer()
  const series = (name: string) => api.metrics.text().includes(`aggregator_unavailable_apiservice{name="${name}"} 0`)
  expect(["v1.", "v1.apps", "v2.autoscaling"].map(series)).toEqual([true, true, true])
  const local = { group: "own.example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 15 }
  objectIn(await api.post(apiServicesPath, { metadata: { name: "v1.own.example.com" }, spec: local }), 201)
  expect(series("v1.own.example.com")).toBe(true)
  await api.delete(`${apiServicesPath}/v1.own.example.com`)
  expect(series("v1.own.example.com")).toBe(false)
})

test("an extension server that is down when this server starts holds up nothing but its own group", async () => {
  const storage = memoryStorage()
  const before = await aggregatingServer({ storage })
  await before.install()
  await before.api.server.close()
  const never = new Promise<never>(() => {})
  const api = testServer("in process", { storage, dial: () => () => never })
  objectIn(await api.post("/api/v1/namespaces/default/configmaps", { metadata: { name: "c" } }), 201)
  for (const path of ["/apis", "/apis/apps/v1", "/openapi/v2", "/openapi/v3", "/readyz"]) expect((await api.get(path)).status).toBe(200)
  await api.clock.advance(5000)
  expect((await api.get(`${prefix}/flunders`)).status).toBe(503)
  const { status } = objectIn(await api.get(apiServicePath))
  expect(status!.conditions).toMatchObject([{ status: "False", reason: "FailedDiscoveryCheck" }])
})

test("attempts that hang are given up as soon as another one passes", async () => {
  const { extension, install, condition } = await aggregatingServer()
  const aborted: boolean[] = []
  let calls = 0
  extension.answer = (request, to) => {
    if (request.path !== prefix || ++calls === 3) return working(request, to)
    return new Promise(() => request.signal?.addEventListener("abort", () => aborted.push(true)))
  }
  await install()
  expect(await condition()).toMatchObject(available)
  expect(aborted).toEqual([true, true, true, true])
})
