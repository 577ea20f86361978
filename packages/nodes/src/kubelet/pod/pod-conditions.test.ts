import { describe, expect, test } from "vitest"
import { Life, nine, sh, simulatedPod } from "../testing/pods.ts"

function since(life: Life, type: string): string {
  const found = life.pod.status?.conditions?.find((one) => one.type === type)
  return `${found?.status} since ${found?.lastTransitionTime?.slice(11, 19)}`
}

test("a condition is since when it last changed", () => {
  const life = new Life(simulatedPod({ says: { ready: "0s=true,60s=false,90s=true" } }))
  expect([since(life, "Ready"), since(life, "Initialized")]).toEqual(["True since 09:00:00", "True since 09:00:00"])
  life.until(75)
  expect([since(life, "Ready"), since(life, "Initialized")]).toEqual(["False since 09:01:00", "True since 09:00:00"])
  expect(since(life.until(100), "Ready")).toBe("True since 09:01:30")
})

test("a pod that has finished has no place to start containers in", () => {
  const life = new Life(simulatedPod({ restartPolicy: "Never", containers: [sh("sleep 5")] }))
  expect(life.until(4).condition("PodReadyToStartContainers")).toBe("True")
  expect(life.until(5).condition("PodReadyToStartContainers")).toBe("False")
})

test("a sidecar that is not ready keeps its pod from being so", () => {
  const life = new Life(
    simulatedPod({ initContainers: [{ name: "x", image: "i", restartPolicy: "Always" }], says: { "ready.x": "0s=true,9s=false" } }),
  )
  expect(life.until(8).condition("ContainersReady")).toBe("True")
  expect(life.until(9).condition("ContainersReady")).toBe("False ContainersNotReady containers with unready status: [x]")
})

describe("readiness gates", () => {
  const gated = (status?: string) => {
    const life = new Life(simulatedPod({ readinessGates: [{ conditionType: "example.org/lb" }] }))
    if (status !== undefined) life.pod = { ...life.pod, status: { ...life.pod.status, conditions: [{ type: "example.org/lb", status }] } }
    return life.until(1).condition("Ready")
  }

  test.each([
    [
      "that no condition mentions",
      undefined,
      'False ReadinessGatesNotReady corresponding condition of pod readiness gate "example.org/lb" does not exist.',
    ],
    ["that is shut", "False", 'False ReadinessGatesNotReady the status of pod readiness gate "example.org/lb" is not "True", but False'],
    ["that is open", "True", "True"],
  ])("one %s", (_name, status, expected) => {
    expect(gated(status)).toBe(expected)
  })
})

test("a pod with a deadline is looked at when that is over", () => {
  expect(new Life(simulatedPod({ activeDeadlineSeconds: 30 })).due).toBe(nine + 30_000)
})

test("a deleted pod that only a finalizer holds is not deleted again at the next reconcile", () => {
  const life = new Life(simulatedPod()).delete(0).until(5)
  expect([life.summary, life.removed]).toEqual(["Failed a:exit 143", false])
})
