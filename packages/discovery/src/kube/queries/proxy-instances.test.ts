import type { Pod } from "@pilothouse/api/core/v1"
import { expect, test, vi } from "vitest"
import type { ServiceInstance } from "../../model/instance.ts"
import { kubePod, kubeService, kubeSlice } from "../../testing/kube-objects.ts"
import { registryFixture } from "../../testing/registry-fixture.ts"

const short = ({ service, servicePort, endpoint }: ServiceInstance) =>
  `${service.name}.${service.namespace}:${servicePort.port} at ${endpoint.addresses[0]}:${endpoint.port}`
const pod = kubePod("shop/web-1", { ip: "10.0.0.1", labels: { app: "web" } })

test("by the pod's own name", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web"), pod] })
  expect(f.registry.proxyServiceInstances({ addresses: ["10.0.0.99"], id: "web-1.shop" }).map(short)).toEqual([
    "web.shop:80 at 10.0.0.1:8080",
  ])
})

test("by a name with dots in it", async () => {
  const dotted = kubePod("shop/web.v1", { ip: "10.0.0.1", labels: { app: "web" } })
  await using f = await registryFixture({ objects: [kubeService("shop/web"), dotted] })
  expect(f.registry.proxyServiceInstances({ addresses: [], id: "web.v1.shop" }).map(short)).toEqual(["web.shop:80 at 10.0.0.1:8080"])
})

test("by any of its addresses, not only the first", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web"), pod] })
  expect(f.registry.proxyServiceInstances({ addresses: ["fd00::9", "10.0.0.1"] }).map(short)).toEqual(["web.shop:80 at 10.0.0.1:8080"])
})

test("by what it says of itself while its pod has not been seen", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web")] })
  const proxy = { addresses: ["10.0.0.9"], id: "web-9.shop", namespace: "shop", labels: { app: "web" } }
  expect(f.registry.proxyServiceInstances(proxy).map(short)).toEqual(["web.shop:80 at 10.0.0.9:8080"])
})

test("none for a pod that no service selects, counted", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web"), kubePod("shop/x", { ip: "10.0.0.7", labels: { app: "x" } })] })
  expect(f.registry.proxyServiceInstances({ addresses: ["10.0.0.7"], namespace: "shop", labels: { app: "web" } })).toEqual([])
  expect(f.metrics.value("pilot_k8s_proxies_with_no_service_targets", { cluster: "Kubernetes" })).toBe(1)
})

test("by the endpoints that have its address, ready or not, where no service selects it", async () => {
  const slice = kubeSlice("shop/manual-1", { endpoints: [{ ip: "10.0.0.7", ready: false }] })
  await using f = await registryFixture({ objects: [kubeService("shop/manual", { selector: undefined }), slice] })
  expect(f.registry.proxyServiceInstances({ addresses: ["10.0.0.7"] }).map(short)).toEqual(["manual.shop:80 at 10.0.0.7:8080"])
  expect(f.metrics.value("pilot_endpoint_not_ready", { cluster: "Kubernetes" })).toBe(1)
})

test("a hundred and one services at one address: that of its own namespace comes first", async () => {
  const others = Array.from({ length: 100 }, (_, n) => `ns-${n}`)
  const objects = [...others, "shop"].flatMap((namespace) => [
    kubeService(`${namespace}/web`, { selector: undefined }),
    kubeSlice(`${namespace}/web-1`, { endpoints: [{ ip: "10.0.0.7" }] }),
  ])
  await using f = await registryFixture({ objects })
  const found = f.registry.proxyServiceInstances({ addresses: ["10.0.0.7"], namespace: "shop" })
  expect([found.length, found[0]?.service.namespace]).toEqual([101, "shop"])
})

test("several ports that lead to one target are one, by target and protocol, in the order of the spec", async () => {
  const ports = [
    { name: "tcp-1", port: 1, targetPort: 8080 },
    { name: "tcp-2", port: 2, targetPort: 8080 },
    { name: "http-3", port: 3, targetPort: 8080 },
    { name: "http-4", port: 4, targetPort: 9090 },
    { name: "http-5", port: 5, targetPort: 8080 },
  ]
  await using f = await registryFixture({ objects: [kubeService("shop/web", { ports }), pod] })
  expect(f.registry.proxyServiceInstances({ addresses: ["10.0.0.1"] }).map(({ servicePort }) => servicePort.name)).toEqual([
    "tcp-1",
    "http-3",
    "http-4",
  ])
})

const named = (spec: Partial<NonNullable<Pod["spec"]>>) => kubePod("shop/web-1", { ip: "10.0.0.1", labels: { app: "web" }, spec })
const byName = kubeService("shop/web", { ports: [{ name: "http", port: 80, targetPort: "web" }] })
const webPort = [{ name: "web", containerPort: 7070 }]

test("a named target port is found in the containers", async () => {
  await using f = await registryFixture({ objects: [byName, named({ containers: [{ name: "a" }, { name: "b", ports: webPort }] })] })
  expect(f.registry.proxyServiceInstances({ addresses: ["10.0.0.1"] }).map(short)).toEqual(["web.shop:80 at 10.0.0.1:7070"])
})

test("and in sidecars that start first, but not in containers that only prepare", async () => {
  const containers = [{ name: "main" }]
  await using sidecar = await registryFixture({
    objects: [byName, named({ containers, initContainers: [{ name: "s", ports: webPort, restartPolicy: "Always" }] })],
  })
  await using prepares = await registryFixture({
    objects: [byName, named({ containers, initContainers: [{ name: "s", ports: webPort }] })],
  })
  expect(sidecar.registry.proxyServiceInstances({ addresses: ["10.0.0.1"] })).toHaveLength(1)
  expect(prepares.registry.proxyServiceInstances({ addresses: ["10.0.0.1"] })).toEqual([])
})

test("a target port that is left out is the port itself", async () => {
  await using f = await registryFixture({ objects: [kubeService("shop/web", { ports: [{ name: "http", port: 80 }] }), pod] })
  expect(f.registry.proxyServiceInstances({ addresses: ["10.0.0.1"] }).map(short)).toEqual(["web.shop:80 at 10.0.0.1:80"])
})

test("the endpoint is the same object that every client is sent", async () => {
  const slice = kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.1", pod: "web-1" }] })
  await using f = await registryFixture({ objects: [kubeService("shop/web"), pod, slice] })
  expect(f.registry.proxyServiceInstances({ addresses: ["10.0.0.1"] })[0]?.endpoint).toBe(
    f.registry.endpoints("web.shop.svc.cluster.local")[0],
  )
})

test("of a service with many endpoints only the slice with its address is read", async () => {
  const other = kubeSlice("shop/web-2", { endpoints: Array.from({ length: 100 }, (_, n) => ({ ip: `10.0.1.${n}` })) })
  const slice = kubeSlice("shop/web-1", { endpoints: [{ ip: "10.0.0.9" }, { ip: "10.0.0.1", pod: "web-1" }] })
  await using f = await registryFixture({ objects: [kubeService("shop/web"), pod, slice, other] })
  const all = f.registry.endpoints("web.shop.svc.cluster.local")
  const { endpoints } = f.registry.state
  const [whole, part] = [vi.spyOn(endpoints, "get"), vi.spyOn(endpoints, "inSlice")]
  const [found] = f.registry.proxyServiceInstances({ addresses: ["10.0.0.1"] })
  expect([short(found!), all.includes(found!.endpoint)]).toEqual(["web.shop:80 at 10.0.0.1:8080", true])
  expect([whole.mock.calls, part.mock.calls.map(([, key]) => key)]).toEqual([[], ["shop/web-1"]])
})
