import { expect, test } from "vitest"
import { kubeNamespace, kubeService } from "../../testing/kube-objects.ts"
import { conversionOptions } from "./options.ts"
import { convertService, isDualStack } from "./service.ts"

const options = conversionOptions({ cluster: "east" })

test("an ordinary Service", () => {
  const object = kubeService("shop/web", {}, { labels: { team: "a" }, creationTimestamp: "2026-01-05T09:00:00Z" })
  expect(convertService(object, undefined, options)).toEqual({
    hostname: "web.shop.svc.cluster.local",
    name: "web",
    namespace: "shop",
    addresses: { east: ["10.96.0.10"] },
    ports: [{ name: "http", port: 80, protocol: "HTTP" }],
    resolution: "client-side",
    labels: { team: "a" },
    selector: { app: "web" },
    exportTo: ["*"],
    accounts: [],
    publishNotReady: false,
    nodeLocal: false,
    distribution: "any",
    created: Date.parse("2026-01-05T09:00:00Z"),
  })
})

test("the domain suffix is chosen", () => {
  expect(convertService(kubeService("shop/web"), undefined, { ...options, domainSuffix: "company.com" }).hostname).toBe(
    "web.shop.svc.company.com",
  )
})

test("a headless Service has no address, and the client goes where it asked", () => {
  expect(convertService(kubeService("shop/db", { clusterIP: "None" }), undefined, options)).toMatchObject({
    addresses: {},
    resolution: "passthrough",
  })
})

test("a Service in two families has both addresses", () => {
  const both = kubeService("shop/web", { clusterIPs: ["10.96.0.10", "fd00::10"] })
  expect([convertService(both, undefined, options).addresses, isDualStack(both)]).toEqual([{ east: ["10.96.0.10", "fd00::10"] }, true])
  expect(isDualStack(kubeService("shop/db", { clusterIP: "None", ipFamilies: ["IPv4", "IPv6"] }))).toBe(true)
  expect(isDualStack(kubeService("shop/web"))).toBe(false)
})

test("an ExternalName is found by DNS, even when it points into the cluster, and selects nothing", () => {
  const object = kubeService("shop/ext", { type: "ExternalName", externalName: "web.other.svc.cluster.local", clusterIP: "" })
  expect(convertService(object, undefined, options)).toMatchObject({
    resolution: "dns",
    externalName: "web.other.svc.cluster.local",
    addresses: {},
    selector: undefined,
  })
  expect(convertService(object, undefined, options).aliasOf).toBeUndefined()
})

test.each(["api.example.com", "api.example.com."])("an ExternalName as an alias: %s", (externalName) => {
  const object = kubeService("shop/ext", { type: "ExternalName", externalName })
  expect(convertService(object, undefined, { ...options, externalNames: "alias" }).aliasOf).toBe("api.example.com")
})

test("a Service without a selector, or with an empty one, selects nothing", () => {
  expect(convertService(kubeService("shop/web", { selector: {} }), undefined, options).selector).toBeUndefined()
})

test("accounts come from both annotations, sorted, each once", () => {
  const annotations = {
    "alpha.istio.io/kubernetes-serviceaccounts": "web, batch",
    "alpha.istio.io/canonical-serviceaccounts": "spiffe://old.example/ns/shop/sa/web,acme@example.com, acme@example.com",
  }
  expect(convertService(kubeService("shop/web", {}, { annotations }), undefined, { ...options, trustDomain: "td" }).accounts).toEqual([
    "acme@example.com",
    "spiffe://old.example/ns/shop/sa/web",
    "spiffe://td/ns/shop/sa/batch",
    "spiffe://td/ns/shop/sa/web",
  ])
})

test("exportTo is a list with commas", () => {
  const exportTo = (text: string) =>
    convertService(kubeService("shop/web", {}, { annotations: { "networking.istio.io/exportTo": text } }), undefined, options).exportTo
  expect([exportTo("."), exportTo("a, b"), exportTo("~"), exportTo("")]).toEqual([["."], ["a", "b"], ["~"], ["*"]])
})

test("where it is reached from outside: external addresses, then those of the load balancer, names too", () => {
  const object = {
    ...kubeService("shop/web", { externalIPs: ["203.0.113.1"] }),
    status: { loadBalancer: { ingress: [{ ip: "203.0.113.9" }, { hostname: "lb.example.com" }] } },
  }
  expect(convertService(object, undefined, options).externalAddresses).toEqual(["203.0.113.1", "203.0.113.9", "lb.example.com"])
})

test("publishNotReadyAddresses and internalTrafficPolicy", () => {
  const object = kubeService("shop/web", { publishNotReadyAddresses: true, internalTrafficPolicy: "Local" })
  expect(convertService(object, undefined, options)).toMatchObject({ publishNotReady: true, nodeLocal: true })
})

const annotation = "networking.istio.io/traffic-distribution"
const distributions: readonly (readonly [
  what: string,
  spec: string | undefined,
  own: string | undefined,
  namespace: string | undefined,
  expected: string,
])[] = [
  ["nothing said", undefined, undefined, undefined, "any"],
  ["PreferClose in the spec", "PreferClose", undefined, undefined, "same-zone"],
  ["PreferSameZone in the spec", "PreferSameZone", undefined, undefined, "same-zone"],
  ["PreferSameNode in the spec", "PreferSameNode", undefined, undefined, "same-node"],
  ["an annotation in any case", undefined, "preferclose", undefined, "same-zone"],
  ["an unknown word", undefined, "nearest", undefined, "any"],
  ["the spec beats the annotation", "PreferSameNode", "PreferClose", undefined, "same-node"],
  ["the namespace is inherited", undefined, undefined, "PreferSameNode", "same-node"],
  ["the annotation beats the namespace", undefined, "any", "PreferClose", "any"],
]
for (const [what, trafficDistribution, own, inherited, expected] of distributions)
  test(`traffic distribution: ${what}`, () => {
    const object = kubeService("shop/web", { trafficDistribution }, { annotations: own === undefined ? {} : { [annotation]: own } })
    const namespace = kubeNamespace("shop", {}, inherited === undefined ? {} : { [annotation]: inherited })
    expect(convertService(object, namespace, options).distribution).toBe(expected)
  })
