import type { Pod } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { cachedGroups, cachedRequests } from "./pod-metrics.ts"
import type { MetricContext } from "./propose.ts"

/** Counts how often the status or the containers of the pod are read. */
function countedPod(containers: readonly object[]) {
  const reads = { spec: 0, status: 0 }
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p" },
    get spec() {
      reads.spec++
      return { containers }
    },
    get status() {
      reads.status++
      return { phase: "Running" }
    },
  }
  return { context: { pods: [pod as unknown as Pod], now: 0 } as unknown as MetricContext, reads }
}

test("requests and groups of pods are found out once for each resource, however many metrics ask", () => {
  const { context, reads } = countedPod([{ name: "c", resources: { requests: { memory: "1" } } }])
  const samples = new Map([["p", { value: 1, at: 0, window: 1 }]])
  const first = [cachedRequests(context, "", "memory"), cachedGroups(context, samples, "memory")]
  const after = { ...reads }
  for (let count = 0; count < 10; count++) {
    expect(cachedRequests(context, "", "memory")).toBe(first[0])
    expect(cachedGroups(context, samples, "memory")).toBe(first[1])
  }
  expect(reads).toEqual(after)
})

test("that a request is missing is found out once as well", () => {
  const { context, reads } = countedPod([{ name: "c" }])
  const missing = () => cachedRequests(context, "", "cpu")
  expect(missing).toThrow("missing request for cpu in container c of Pod p")
  const after = { ...reads }
  expect(missing).toThrow("missing request for cpu in container c of Pod p")
  expect(reads).toEqual(after)
})
