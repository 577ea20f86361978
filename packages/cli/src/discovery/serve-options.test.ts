import { expect, test } from "vitest"
import { clusterNames, serveOptions } from "./serve-clusters.ts"

const flags = {
  watchNamespace: ["shop"],
  domainSuffix: "x.org",
  syncTimeout: 1,
  bindAddress: "::1",
  port: 2,
  debugPort: 3,
  maxStreams: 4,
  maxStreamsPerConnection: 5,
  maxConnections: 6,
  acrossNetworks: "all",
  resourceTtl: 7,
} as const

test("every flag has its place", () => {
  expect(serveOptions(flags)).toEqual({
    host: "::1",
    port: 2,
    debugPort: 3,
    reading: expect.objectContaining({ namespaces: ["shop"], domainSuffix: "x.org" }),
    syncTimeout: 1,
    limits: { maximumStreams: 4, streamsPerConnection: 5, maximumConnections: 6 },
    acrossNetworks: "all",
    ttl: 7,
  })
})

test("a cluster that may take no time at all at the start may take for ever", () => {
  expect(serveOptions({ ...flags, syncTimeout: 0 }).syncTimeout).toBeUndefined()
})

test.each([
  [undefined, undefined, ["Kubernetes"]],
  [["/one", "/two", "/three"], undefined, ["Kubernetes", "cluster-2", "cluster-3"]],
  [
    ["/one", "/two"],
    ["east", "west"],
    ["east", "west"],
  ],
  [undefined, ["east"], ["east"]],
])("of the kubeconfigs %j with the names %j clusters are called %j", (kubeconfig, clusterId, expected) => {
  expect(clusterNames({ kubeconfig, clusterId })).toEqual(expected)
})
