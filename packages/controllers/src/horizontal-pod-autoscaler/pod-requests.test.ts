import { expect, test } from "vitest"
import { requestsByPod } from "./replica-calculator.ts"
import { type PodFacts, pod } from "./testing/pods.ts"

interface Row {
  readonly pod: PodFacts
  readonly container?: string
  readonly expected: number | string
}

const rows: Record<string, Row> = {
  "Pod-level resources are enabled, but not set: fallback to sum container requests": { pod: { requests: [100, 250] }, expected: 350 },
  "Pod-level resources override container requests": { pod: { requests: [100, 250], podRequest: { cpu: "1" } }, expected: 1000 },
  "Pod-level resources override missing container requests": { pod: { requests: [undefined], podRequest: { cpu: "1" } }, expected: 1000 },
  "Pod-level requests of another resource": {
    pod: { requests: [undefined], podRequest: { memory: "1Gi" } },
    expected: "missing pod-level request for cpu in Pod p0",
  },
  "Fail if at least one of the containers is missing requests": {
    pod: { requests: [100, undefined] },
    expected: "missing request for cpu in container c1 of Pod p0",
  },
  "Container: calculate requests only for that container": { pod: { requests: [100, 250] }, container: "c1", expected: 250 },
  "Container: ignore pod-level requests": { pod: { requests: [100, 250], podRequest: { cpu: "1" } }, container: "c0", expected: 100 },
  "Container: another one may lack requests": { pod: { requests: [100, undefined] }, container: "c0", expected: 100 },
  NonExistentContainer: { pod: {}, container: "none", expected: "container none not found in Pod p0" },
  "pod with restartable init containers": { pod: { requests: [100], sidecar: 50 }, expected: 150 },
}

test.each(Object.entries(rows))("%s", (_, { pod: facts, container = "", expected }) => {
  const ask = () => requestsByPod([pod("p0", facts)], container, "cpu").get("p0")
  if (typeof expected === "string") expect(ask).toThrow(expected)
  else expect(ask()).toBe(expected)
})
