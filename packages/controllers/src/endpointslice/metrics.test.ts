import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import type { Result } from "@pilothouse/runtime"
import { memoryMetrics } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { endpointSliceMetrics } from "./metrics.ts"
import { withLists } from "./observe.ts"

/** Of a Service without ports, as kube-apiserver has it on the wire. */
function slice(...addresses: readonly string[]): EndpointSlice {
  const endpoints = addresses.map((address) => ({ addresses: [address] }))
  return { metadata: { name: "web-1" }, addressType: "IPv4", endpoints, ports: null } as unknown as EndpointSlice
}

test("endpoints that stay are neither added nor removed, where the server writes no ports as null", () => {
  const metrics = memoryMetrics()
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { selector: { app: "web" } } } as const
  const observed = { service, pods: [], nodes: new Map(), slices: [withLists(slice("10.0.0.1", "10.0.0.2"))], everyNode: [] }
  const object = slice("10.0.0.1", "10.0.0.2", "10.0.0.3")
  const results: readonly Result[] = [{ operation: { do: "update", object, reason: "a pod came" }, ok: true, object }]
  endpointSliceMetrics(metrics, 100).ended("default/web", { now: 0, milliseconds: 0, givenUp: false, observed, results } as never)
  for (const line of ["added_per_sync_sum 1", "removed_per_sync_sum 0"])
    expect(metrics.text()).toContain(`endpoint_slice_controller_endpoints_${line}\n`)
})
