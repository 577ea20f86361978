import type { Container, ContainerStatus, Pod, PodStatus } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { podSummary } from "./pod.ts"

const started = "2026-01-05T08:00:00Z"
const running: ContainerStatus["state"] = { running: { startedAt: started } }
const container = (name: string, more: Partial<Container> = {}): Container => ({ name, image: "i", ...more })

function status(name: string, state: ContainerStatus["state"], more: Partial<ContainerStatus> = {}): ContainerStatus {
  return { name, state, ready: false, restartCount: 0, image: "i", imageID: "", ...more }
}

function pod(podStatus: PodStatus, more: { init?: Container[]; containers?: number; deleted?: boolean } = {}): Pod {
  const containers = Array.from({ length: more.containers ?? 1 }, (_, index) => container(`c${index}`))
  const metadata = { name: "p", ...(more.deleted ? { deletionTimestamp: started } : {}) }
  return { apiVersion: "v1", kind: "Pod", metadata, spec: { containers, initContainers: more.init }, status: podStatus }
}

const ended = (exitCode: number, reason?: string, signal?: number): ContainerStatus["state"] => ({
  terminated: { exitCode, reason, signal },
})
const isTrue = (type: string) => ({ type, status: "True" })
const sidecar = container("s", { restartPolicy: "Always" })
const crashed = { terminated: { exitCode: 1, finishedAt: "2026-01-05T08:59:00Z" } }

const rows: readonly [what: string, pod: Pod, reason: string, ready: string, restarts: number][] = [
  ["nothing known", pod({ phase: "Pending" }), "Pending", "0/1", 0],
  [
    "creating",
    pod({ phase: "Pending", containerStatuses: [status("c0", { waiting: { reason: "ContainerCreating" } })] }),
    "ContainerCreating",
    "0/1",
    0,
  ],
  ["running and ready", pod({ phase: "Running", containerStatuses: [status("c0", running, { ready: true })] }), "Running", "1/1", 0],
  ["running, not ready", pod({ phase: "Running", containerStatuses: [status("c0", running)] }), "Running", "0/1", 0],
  [
    "crashing again and again",
    pod({
      phase: "Running",
      containerStatuses: [status("c0", { waiting: { reason: "CrashLoopBackOff" } }, { restartCount: 4, lastState: crashed })],
    }),
    "CrashLoopBackOff",
    "0/1",
    4,
  ],
  ["completed", pod({ phase: "Succeeded", containerStatuses: [status("c0", ended(0, "Completed"))] }), "Completed", "0/1", 0],
  ["failed with a reason", pod({ phase: "Failed", containerStatuses: [status("c0", ended(1, "Error"))] }), "Error", "0/1", 0],
  ["failed without one", pod({ phase: "Failed", containerStatuses: [status("c0", ended(3))] }), "ExitCode:3", "0/1", 0],
  ["killed by a signal", pod({ phase: "Failed", containerStatuses: [status("c0", ended(137, undefined, 9))] }), "Signal:9", "0/1", 0],
  ["evicted", pod({ phase: "Failed", reason: "Evicted" }), "Evicted", "0/1", 0],
  [
    "one completed, one running, ready",
    pod(
      {
        phase: "Running",
        conditions: [isTrue("Ready")],
        containerStatuses: [status("c0", ended(0, "Completed")), status("c1", running, { ready: true })],
      },
      { containers: 2 },
    ),
    "Running",
    "1/2",
    0,
  ],
  [
    "one completed, one running, pod not ready",
    pod(
      { phase: "Running", containerStatuses: [status("c0", ended(0, "Completed")), status("c1", running, { ready: true })] },
      { containers: 2 },
    ),
    "NotReady",
    "1/2",
    0,
  ],
  [
    "one completed, one failed",
    pod({ phase: "Failed", containerStatuses: [status("c0", ended(0, "Completed")), status("c1", ended(1, "Error"))] }, { containers: 2 }),
    "Error",
    "0/2",
    0,
  ],
  [
    "held by gates",
    pod({ phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] }),
    "SchedulingGated",
    "0/1",
    0,
  ],
  [
    "being deleted",
    pod({ phase: "Running", containerStatuses: [status("c0", running, { ready: true })] }, { deleted: true }),
    "Terminating",
    "1/1",
    0,
  ],
  [
    "being deleted after its end",
    pod({ phase: "Succeeded", containerStatuses: [status("c0", ended(0, "Completed"))] }, { deleted: true }),
    "Completed",
    "0/1",
    0,
  ],
  ["on a lost node", pod({ phase: "Running", reason: "NodeLost" }, { deleted: true }), "Unknown", "0/1", 0],
  [
    "second of two init containers runs",
    pod(
      { phase: "Pending", initContainerStatuses: [status("i", ended(0)), status("j", running)] },
      { init: [container("i"), container("j")] },
    ),
    "Init:1/2",
    "0/1",
    0,
  ],
  [
    "an init container waits",
    pod({ phase: "Pending", initContainerStatuses: [status("i", { waiting: { reason: "PodInitializing" } })] }, { init: [container("i")] }),
    "Init:0/1",
    "0/1",
    0,
  ],
  [
    "an init container crashes",
    pod(
      { phase: "Pending", initContainerStatuses: [status("i", { waiting: { reason: "CrashLoopBackOff" } }, { restartCount: 2 })] },
      { init: [container("i")] },
    ),
    "Init:CrashLoopBackOff",
    "0/1",
    2,
  ],
  [
    "an init container failed",
    pod({ phase: "Pending", initContainerStatuses: [status("i", ended(2, "Error"))] }, { init: [container("i")] }),
    "Init:Error",
    "0/1",
    0,
  ],
  [
    "an init container failed without a reason",
    pod({ phase: "Pending", initContainerStatuses: [status("i", ended(2))] }, { init: [container("i")] }),
    "Init:ExitCode:2",
    "0/1",
    0,
  ],
  [
    "restarts of finished init containers do not count",
    pod(
      {
        phase: "Running",
        initContainerStatuses: [status("i", ended(0), { restartCount: 5 })],
        containerStatuses: [status("c0", running, { ready: true, restartCount: 1 })],
      },
      { init: [container("i")] },
    ),
    "Running",
    "1/1",
    1,
  ],
  [
    "a sidecar counts among the containers",
    pod(
      {
        phase: "Running",
        initContainerStatuses: [status("s", running, { ready: true, started: true, restartCount: 3 })],
        containerStatuses: [status("c0", running, { ready: true })],
      },
      { init: [sidecar] },
    ),
    "Running",
    "2/2",
    3,
  ],
  [
    "a sidecar that has not started",
    pod({ phase: "Pending", initContainerStatuses: [status("s", running, { started: false })] }, { init: [sidecar] }),
    "Init:0/1",
    "0/2",
    0,
  ],
]

test.each(rows)("%s", (_, subject, reason, ready, restarts) => {
  const summary = podSummary(subject)
  expect({ reason: summary.reason, ready: `${summary.ready}/${summary.total}`, restarts: summary.restarts }).toEqual({
    reason,
    ready,
    restarts,
  })
})

test("the last restart is the latest of all containers", () => {
  const at = (finishedAt: string) => ({ lastState: { terminated: { exitCode: 1, finishedAt } }, restartCount: 1 })
  const statuses = [status("c0", running, at("2026-01-05T08:59:00Z")), status("c1", running, at("2026-01-05T08:30:00Z"))]
  expect(podSummary(pod({ phase: "Running", containerStatuses: statuses }, { containers: 2 })).lastRestart).toBe("2026-01-05T08:59:00Z")
})
