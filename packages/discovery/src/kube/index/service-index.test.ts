import { expect, test } from "vitest"
import { kubeService } from "../../testing/kube-objects.ts"
import { conversionOptions } from "../convert/options.ts"
import { convertService } from "../convert/service.ts"
import { ServiceIndex } from "./service-index.ts"

const service = (key: string, spec = {}) => convertService(kubeService(key, spec), undefined, conversionOptions())
const names = (services: readonly { readonly name: string }[]) => services.map(({ name }) => name)

test("sorted by hostname, and the same array until something changes", () => {
  const index = new ServiceIndex()
  for (const key of ["shop/web", "shop/api", "infra/dns"]) index.put(service(key))
  const sorted = index.sorted()
  expect([names(sorted), index.sorted() === sorted]).toEqual([["api", "dns", "web"], true])
  index.remove("dns.infra.svc.cluster.local")
  expect(names(index.sorted())).toEqual(["api", "web"])
})

test("by address: its own, those outside, and none that it had before", () => {
  const index = new ServiceIndex()
  index.put(service("shop/web", { clusterIP: "10.96.0.1", externalIPs: ["203.0.113.1"] }))
  index.put(service("shop/api", { clusterIP: "10.96.0.2", externalIPs: ["203.0.113.1"] }))
  expect([names(index.byAddress("10.96.0.1")), names(index.byAddress("203.0.113.1")), index.byAddress("10.96.0.9")]).toEqual([
    ["web"],
    ["api", "web"],
    [],
  ])
  index.put(service("shop/web", { clusterIP: "10.96.0.3" }))
  expect([index.byAddress("10.96.0.1"), names(index.byAddress("203.0.113.1")), names(index.byAddress("10.96.0.3"))]).toEqual([
    [],
    ["api"],
    ["web"],
  ])
})

test("by the pods that it selects: its namespace, every pair of its selector", () => {
  const index = new ServiceIndex()
  index.put(service("shop/web", { selector: { app: "web", tier: "front" } }))
  index.put(service("shop/all", { selector: { tier: "front" } }))
  index.put(service("other/web", { selector: { app: "web" } }))
  index.put(service("shop/manual", { selector: undefined }))
  expect(names(index.selecting("shop", { app: "web", tier: "front", more: "1" }))).toEqual(["all", "web"])
  expect(names(index.selecting("shop", { app: "web" }))).toEqual([])
  expect(names(index.selecting("other", { app: "web" }))).toEqual(["web"])
  expect(index.selecting("shop", undefined)).toEqual([])
})
