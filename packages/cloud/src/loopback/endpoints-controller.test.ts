import { pods, type Service, services } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import type { Clock } from "@pilothouse/seams"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { serviceController } from "../service/controller.ts"
import { newService } from "../service/testing/cloud-cluster.ts"
import { loopbackEndpointsController, readyTargets } from "./endpoints-controller.ts"
import { LoopbackCloud } from "./loopback-cloud.ts"
import { loopbackProvider } from "./provider.ts"

const slice = (more: object) => ({
  apiVersion: "discovery.k8s.io/v1" as const,
  kind: "EndpointSlice" as const,
  metadata: { name: "web-1", namespace: "default", labels: { "kubernetes.io/service-name": "web" } },
  addressType: "IPv4" as const,
  ports: [{ name: "", port: 8080, protocol: "TCP" as const }],
  endpoints: [],
  ...more,
})

test("only ready endpoints that do not terminate count; a condition that is not set counts as true", () => {
  const endpoints = [
    { addresses: ["10.0.0.4"], conditions: { ready: true } },
    { addresses: ["10.0.0.3"] },
    { addresses: ["10.0.0.2"], conditions: { ready: false, serving: true, terminating: true } },
    { addresses: ["10.0.0.1"], conditions: { ready: false } },
  ]
  const ready = [
    { address: "10.0.0.3", port: 8080 },
    { address: "10.0.0.4", port: 8080 },
  ]
  expect(readyTargets(newService(), [slice({ endpoints })])).toEqual(new Map([["TCP 80", ready]]))
})

test("node ports led nowhere while the last endpoints of a Service ended, where kube-proxy still uses them", () => {
  const ending = { addresses: ["10.0.0.1"], conditions: { ready: false, serving: true, terminating: true } }
  const ended = { addresses: ["10.0.0.2"], conditions: { ready: false, serving: false, terminating: true } }
  const ready = { addresses: ["10.0.0.3"], conditions: { ready: true } }
  const found = (endpoints: readonly object[], elseTerminating: boolean) =>
    readyTargets(newService(), [slice({ endpoints })], { elseTerminating })
      .get("TCP 80")
      ?.map(({ address }) => address)
  expect(found([ending, ended], true)).toEqual(["10.0.0.1"])
  expect(found([ending, ended, ready], true)).toEqual(["10.0.0.3"])
  expect(found([ending, ended], false)).toEqual([])
})

test("ports are found by name and protocol", () => {
  const ports = [
    { name: "web", port: 80 },
    { name: "dns", port: 53, protocol: "UDP" as const },
  ]
  const found = slice({
    ports: [
      { name: "dns", port: 5353, protocol: "UDP" },
      { name: "other", port: 1, protocol: "TCP" },
    ],
    endpoints: [{ addresses: ["10.0.0.1"] }],
  })
  expect(readyTargets(newService({ ports }), [found])).toEqual(
    new Map([
      ["TCP 80", []],
      ["UDP 53", [{ address: "10.0.0.1", port: 5353 }]],
    ]),
  )
})

test("of two families the Service's main one counts, so that no endpoint is there twice", () => {
  const four = slice({ endpoints: [{ addresses: ["10.0.0.1"] }] })
  const six = slice({ addressType: "IPv6", endpoints: [{ addresses: ["fd00::1"] }] })
  const addresses = (ipFamilies: readonly ("IPv4" | "IPv6")[]) =>
    readyTargets(newService({ ipFamilies }), [four, six])
      .get("TCP 80")
      ?.map(({ address }) => address)
  expect([addresses(["IPv4", "IPv6"]), addresses(["IPv6", "IPv4"]), addresses(["IPv6"])]).toEqual([["10.0.0.1"], ["fd00::1"], ["fd00::1"]])
})

test("an endpoint that stood in two slices for a moment had two turns", () => {
  const endpoints = [{ addresses: ["10.0.0.1"] }]
  const other = slice({ metadata: { name: "web-2", namespace: "default" }, endpoints: [...endpoints, { addresses: ["10.0.0.2"] }] })
  expect(readyTargets(newService(), [slice({ endpoints }), other]).get("TCP 80")).toEqual([
    { address: "10.0.0.1", port: 8080 },
    { address: "10.0.0.2", port: 8080 },
  ])
})

test("in a cluster: an address, its endpoints, and both again after a restart without a write", async () => {
  const clouds: LoopbackCloud[] = []
  const extra = (clock: Clock) => {
    const cloud = new LoopbackCloud({ clock })
    clouds.push(cloud)
    return [serviceController({ balancers: loopbackProvider({ cloud }).loadBalancers!, clock }), loopbackEndpointsController({ cloud })]
  }
  await using running = await cluster({ controllers: ["endpointslice"], extra })
  const service: Service = newService({ ports: [{ port: 18_090, protocol: "TCP", targetPort: 8080 }] })
  await running.apply(service)
  for (const number of [1, 2]) {
    const metadata = { name: `web-${number}`, namespace: "default", labels: { app: "web" } }
    await running.apply({
      apiVersion: "v1" as const,
      kind: "Pod" as const,
      metadata,
      spec: { containers: [{ name: "web", image: "web" }] },
    })
  }
  await running.advance("10s")
  const address = (await running.client.get(services, "default/web")).status?.loadBalancer?.ingress?.[0]?.ip
  expect(address).toMatch(/^127\./)
  expect(clouds[0]?.targetsOf("kubernetes", "default/web")?.get("TCP 18090")).toHaveLength(2)
  const { resourceVersion } = (await running.client.get(services, "default/web")).metadata
  await clouds[0]?.[Symbol.asyncDispose]()
  await running.restartControllers()
  await running.advance("10s")
  expect((await running.client.get(services, "default/web")).metadata.resourceVersion).toBe(resourceVersion)
  expect(clouds[1]?.targetsOf("kubernetes", "default/web")?.get("TCP 18090")).toHaveLength(2)
  await running.client.delete(pods, "default/web-1")
  await running.advance("10s")
  expect(clouds[1]?.targetsOf("kubernetes", "default/web")?.get("TCP 18090")).toHaveLength(1)
  await running.client.delete(services, "default/web")
  await running.advance("10s")
  expect([clouds[1]?.names, clouds[1]?.targetsOf("kubernetes", "default/web")]).toEqual([[], undefined])
  expect(await running.list(endpointSlices, { namespace: "default", labelSelector: "kubernetes.io/service-name=web" })).toHaveLength(1)
})
