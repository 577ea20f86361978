import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import { memoryMetrics } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { SliceCounts } from "./metrics.ts"

test("a slice without endpoints, which a server writes as null, ended the reconcile in an error", () => {
  const metrics = memoryMetrics()
  const gauge = (name: string) => metrics.gauge({ name, help: name })
  const gauges = { desired: gauge("desired"), slices: gauge("slices"), desiredSlices: gauge("packed"), distributions: gauge("by") }
  const empty = { addressType: "IPv4", endpoints: null, ports: null } as unknown as EndpointSlice
  new SliceCounts(gauges, 100).set("default/web", [empty], "")
  expect([metrics.value("desired"), metrics.value("slices"), metrics.value("packed")]).toEqual([0, 1, 1])
})
