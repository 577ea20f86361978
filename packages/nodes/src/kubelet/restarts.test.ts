import type { Container } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { goSeconds } from "./restart.ts"
import { Life, type PodFacts, sh, simulatedPod } from "./test-pods.ts"

const sidecar: Container = { name: "x", image: "i", restartPolicy: "Always" }
const not42 = [{ action: "Restart", exitCodes: { operator: "NotIn", values: [42] } }] as const

/** What a pod is, and what it looks like after so many seconds. */
const rows: readonly [string, PodFacts, ...[number, string][]][] = [
  [
    "a sidecar that ends is started again, whatever its pod says",
    { restartPolicy: "Never", initContainers: [{ ...sidecar, command: ["sleep", "5"] }] },
    [4, "Running x:ready a:ready"],
    [5, "Running x:ready/1 a:ready"],
  ],
  ["a sidecar of which nobody knows what it does runs for ever", { initContainers: [sidecar] }, [9999, "Running x:ready a:ready"]],
  [
    "an init container of which nobody knows what it does is done at once",
    { initContainers: [{ name: "x", image: "i" }] },
    [0, "Running x:exit 0 a:ready"],
  ],
  [
    "the others wait for a sidecar that is slow to start",
    { initContainers: [{ ...sidecar, startupProbe: { initialDelaySeconds: 3 } }] },
    [2, "Pending x:running a:PodInitializing"],
    [3, "Running x:ready a:ready"],
  ],
  [
    "a policy of the container is stronger than the pod's",
    { restartPolicy: "Always", containers: [{ ...sh("sleep 5; exit 1"), restartPolicy: "Never" }, {}] },
    [60, "Running a:exit 1 b:ready"],
  ],
  [
    "a rule for all codes but one, and one of those",
    { restartPolicy: "Never", containers: [{ ...sh("sleep 5; exit 1"), restartPolicyRules: not42 }] },
    [5, "Running a:ready/1"],
  ],
  [
    "a rule for all codes but one, and that one",
    { restartPolicy: "Never", containers: [{ ...sh("sleep 5; exit 42"), restartPolicyRules: not42 }] },
    [5, "Failed a:exit 42"],
  ],
]

test.each(rows)("%s", (_name, facts, ...moments) => {
  const life = new Life(simulatedPod(facts))
  expect(moments.map(([seconds]) => [seconds, life.until(seconds).summary])).toEqual(moments)
})

describe("how a run ended", () => {
  const lastEnd = (life: Life) => life.pod.status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode

  test("that its liveness probe ended", () => {
    expect(lastEnd(new Life(simulatedPod({ says: { alive: "0s=true,20s=false" } })).until(20))).toBe(137)
  })

  test("that a changed image ended", () => {
    const life = new Life(simulatedPod())
    life.pod = { ...life.pod, spec: { ...life.pod.spec, containers: [{ name: "a", image: "j" }] } }
    expect(lastEnd(life.until(1))).toBe(143)
  })
})

test.each([
  [10_000, "10s"],
  [80_000, "1m20s"],
  [300_000, "5m0s"],
])("%i ms are %s, as Go writes it", (milliseconds, text) => {
  expect(goSeconds(milliseconds)).toBe(text)
})
