import { formatTime } from "@pilothouse/api"
import type { Container } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { goSeconds, restartWait } from "./container/restart.ts"
import { Life, nine, type PodFacts, sh, simulatedPod } from "./testing/pods.ts"

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
  ["a sidecar whose command is not understood runs for ever", { initContainers: [sidecar] }, [9999, "Running x:ready a:ready"]],
  [
    "an init container whose command is not understood ends at once",
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

/** Seconds from and to which it ran, the last time but one and the last time; and how long it waits then. */
test.each<[string, readonly [number, number], readonly [number, number], number]>([
  ["a run of eleven minutes is forgiven", [0, 1], [301, 961], 0],
  ["what was before a long run counted again after the next one", [301, 961], [961, 962], 10],
  ["and after the one after that", [961, 962], [972, 973], 20],
  ["one that starts a little late does not wait longer for it", [0, 1], [22, 23], 40],
  ["five minutes are the most", [0, 1], [301, 302], 300],
])("%s", (_name, before, last, seconds) => {
  const at = (second: number) => formatTime(nine + second * 1000)
  const run = ([from, to]: readonly [number, number]) => ({ terminated: { exitCode: 1, startedAt: at(from), finishedAt: at(to) } })
  const status = { name: "a", image: "i", imageID: "", ready: false, restartCount: 12, lastState: run(before), state: run(last) }
  expect(restartWait(status, { name: "a", image: "i" })).toBe(seconds * 1000)
})

test("an image that was mended waited as long as the bad one", () => {
  const life = new Life(simulatedPod({ containers: [sh("exit 1")] })).until(3600)
  expect(life.summary).toContain("CrashLoopBackOff")
  life.pod = { ...life.pod, spec: { ...life.pod.spec, containers: [{ name: "a", image: "mended" }] } }
  expect(life.until(3601).summary).toContain("a:ready")
})

test.each([
  [10_000, "10s"],
  [80_000, "1m20s"],
  [300_000, "5m0s"],
])("%i ms are %s, as Go writes it", (milliseconds, text) => {
  expect(goSeconds(milliseconds)).toBe(text)
})
