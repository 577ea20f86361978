import type { Pod } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { at, exited, noon, pod, running } from "../testing/jobs.ts"
import { finishTime } from "./pod-outcome.ts"

function changed(of: Pod, metadata: Partial<Pod["metadata"]>, ready?: "True" | "False"): Pod {
  const conditions = ready && [{ type: "Ready", status: ready, lastTransitionTime: at(0) }]
  return { ...of, metadata: { ...of.metadata, ...metadata }, status: { ...of.status, conditions } }
}

const sidecars = { initContainers: [{ name: "side", restartPolicy: "Always" as const }, { name: "init" }], containers: [{ name: "main" }] }
const ended = { phase: "Failed", containers: [exited("a", 1, -1), exited("b", 1, 0), exited("c", 1, -2)] } as const
const half = { phase: "Failed", containers: [exited("a", 1, -1), running("b")] } as const
const withSidecar = { containers: [exited("main", 0, -5)], initContainers: [exited("side", 0, 0), exited("init", 0, 99)] }

/** All of them ended at noon. The cases of upstream's TestGetFinishedTime. */
test.each<[string, Pod]>([
  ["Pod with multiple containers and all containers terminated", changed(pod(ended), {})],
  ["one in running state; fallback to deletionTimestamp", changed(pod(half), { deletionTimestamp: at(0) })],
  [
    "fallback to deletionTimestamp, decremented by grace period",
    changed(pod(half), { deletionTimestamp: at(30), deletionGracePeriodSeconds: 30 }),
  ],
  [
    "fallback to PodReady.LastTransitionTime when status of the condition is False",
    changed(pod(half), { creationTimestamp: at(-9) }, "False"),
  ],
  [
    "skip fallback to PodReady.LastTransitionTime when True; fallback to creationTimestamp",
    changed(pod(half), { creationTimestamp: at(0) }, "True"),
  ],
  ["Pod with sidecar container and all containers terminated", { ...changed(pod(withSidecar), {}), spec: sidecars }],
])("%s", (_name, of) => {
  expect(finishTime(of)).toBe(noon)
})
