import type { Pod } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { groupsOnce, requestsOnce } from "./judged-once.ts"
import type { Judged } from "./propose.ts"

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
  return { judged: { pods: [pod as unknown as Pod], now: 0 } as unknown as Judged, reads }
}

test("requests and groups of pods are found out once for each resource, however many metrics ask", () => {
  const { judged, reads } = countedPod([{ name: "c", resources: { requests: { memory: "1" } } }])
  const samples = new Map([["p", { value: 1, at: 0, window: 1 }]])
  const first = [requestsOnce(judged, "", "memory"), groupsOnce(judged, samples, "memory")]
  const after = { ...reads }
  for (let count = 0; count < 10; count++) {
    expect(requestsOnce(judged, "", "memory")).toBe(first[0])
    expect(groupsOnce(judged, samples, "memory")).toBe(first[1])
  }
  expect(reads).toEqual(after)
})

test("that a request is missing is found out once as well", () => {
  const { judged, reads } = countedPod([{ name: "c" }])
  const missing = () => requestsOnce(judged, "", "cpu")
  expect(missing).toThrow("missing request for cpu in container c of Pod p")
  const after = { ...reads }
  expect(missing).toThrow("missing request for cpu in container c of Pod p")
  expect(reads).toEqual(after)
})
