import type { Job, JobSpec, JobStatus } from "@pilothouse/api/batch/v1"
import type { ContainerStatus, Pod } from "@pilothouse/api/core/v1"
import { seededRandom } from "@pilothouse/seams"
import { trackingFinalizer } from "../pods/tracking-finalizer.ts"

/** Jobs and pods for the tests of this folder. */
export const noon = Date.parse("2026-01-05T12:00:00Z")
export const context = { now: noon, random: seededRandom(1) }

export function at(secondsAfterNoon: number): string {
  return `${new Date(noon + secondsAfterNoon * 1000).toISOString().slice(0, 19)}Z`
}

export interface JobFacts extends Omit<JobSpec, "template" | "selector"> {
  readonly restartPolicy?: "Never" | "OnFailure"
  readonly deleting?: boolean
  readonly status?: JobStatus
}

export function job({ restartPolicy = "Never", deleting, status = {}, ...spec }: JobFacts = {}): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "work", namespace: "default", uid: "job-1", ...(deleting && { deletionTimestamp: at(-5) }) },
    spec: {
      parallelism: 1,
      backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : 2147483647,
      completionMode: "NonIndexed",
      podReplacementPolicy: spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed",
      selector: { matchLabels: { job: "work" } },
      template: { metadata: { labels: { job: "work" } }, spec: { restartPolicy, containers: [{ name: "main" }] } },
      ...spec,
    },
    status,
  }
}

export interface PodFacts {
  readonly name?: string
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed"
  readonly ready?: boolean
  readonly index?: number | string
  readonly tracked?: boolean
  readonly deleting?: boolean
  /** Seconds after noon when its container ended. */
  readonly ended?: number
  readonly exitCode?: number
  readonly failures?: number
  readonly annotations?: Readonly<Record<string, string>>
  readonly containers?: readonly ContainerStatus[]
  readonly initContainers?: readonly ContainerStatus[]
  readonly conditions?: NonNullable<Pod["status"]>["conditions"]
  readonly restarts?: number
}

let made = 0

export function pod(facts: PodFacts = {}): Pod {
  const { name = `pod-${++made}`, phase = "Running", ready = false, tracked = true, deleting, conditions = [] } = facts
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      labels: { job: "work" },
      annotations: annotationsOf(facts),
      creationTimestamp: at(-3600),
      ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "work", uid: "job-1", controller: true }],
      ...(tracked && { finalizers: [trackingFinalizer] }),
      ...(deleting && { deletionTimestamp: at(-5) }),
    },
    spec: { nodeName: "node-1", containers: [{ name: "main" }] },
    status: {
      phase,
      conditions: [...conditions, { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: at(-1800) }],
      containerStatuses: facts.containers ?? [mainContainer(facts)],
      initContainerStatuses: facts.initContainers,
    },
  }
}

export function pods(count: number, facts: PodFacts = {}): readonly Pod[] {
  return Array.from({ length: count }, () => pod(facts))
}

export function exited(name: string, exitCode: number, ended = -1800): ContainerStatus {
  return { ...running(name), state: { terminated: { exitCode, finishedAt: at(ended) } } }
}

export function running(name: string, restartCount = 0): ContainerStatus {
  return { name, image: "", imageID: "", ready: false, restartCount, state: { running: {} } }
}

function mainContainer({ phase, restarts = 0, ended = -1800, exitCode = phase === "Failed" ? 1 : 0 }: PodFacts): ContainerStatus {
  return phase === "Succeeded" || phase === "Failed" ? exited("main", exitCode, ended) : running("main", restarts)
}

function annotationsOf({ index, failures, annotations = {} }: PodFacts): Record<string, string> {
  return {
    ...annotations,
    ...(index !== undefined && { "batch.kubernetes.io/job-completion-index": String(index) }),
    ...(failures !== undefined && { "batch.kubernetes.io/job-index-failure-count": String(failures) }),
  }
}
