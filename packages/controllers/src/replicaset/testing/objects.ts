import { isPodActive, isPodTerminating } from "@pilothouse/api"
import type { ReplicaSet } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import type { Operation, Plan } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { replicaSetKind } from "../controller.ts"
import type { Observed } from "../observe.ts"
import type { ReplicaKind } from "../replica-kind.ts"

export const now = Date.UTC(2026, 0, 5, 9)
export const context = { now, random: seededRandom(1) }

interface SetFacts {
  readonly metadata?: Partial<ReplicaSet["metadata"]>
  readonly minReadySeconds?: number
  readonly status?: ReplicaSet["status"]
  readonly labels?: Readonly<Record<string, string>>
}

export function replicaSet(replicas: number, { metadata, minReadySeconds, status, labels = { app: "web" } }: SetFacts = {}): ReplicaSet {
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "example/web:1" }] } }
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "web", namespace: "default", uid: "rs-1", generation: 1, ...metadata },
    spec: { replicas, minReadySeconds, selector: { matchLabels: { app: "web" } }, template },
    ...(status && { status }),
  }
}

interface PodFacts {
  readonly node?: string
  readonly phase?: "Pending" | "Running" | "Unknown" | "Succeeded" | "Failed"
  readonly ready?: boolean
  /** "08:30:00" of the day that `now` is in. */
  readonly readySince?: string
  readonly created?: string
  readonly cost?: string
  readonly restarts?: number
  readonly sidecarRestarts?: number
  readonly deleting?: boolean
  readonly labels?: Readonly<Record<string, string>>
}

export function pod(name: string, facts: PodFacts = {}): Pod {
  const { node = "node-1", labels = { app: "web" }, created = "08:00:00", cost, deleting } = facts
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      uid: name,
      labels,
      creationTimestamp: today(created),
      ...(cost && { annotations: { "controller.kubernetes.io/pod-deletion-cost": cost } }),
      ...(deleting && { deletionTimestamp: today("08:59:00") }),
    },
    spec: {
      nodeName: node,
      containers: [{ name: "web" }],
      initContainers: [{ name: "proxy", restartPolicy: "Always" }, { name: "setup" }],
    },
    status: podStatus(facts),
  }
}

function podStatus(facts: PodFacts): Pod["status"] {
  const { phase = "Running", ready = phase === "Running", readySince = "08:30:00", restarts = 0, sidecarRestarts = 0 } = facts
  return {
    phase,
    conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: today(readySince) }],
    containerStatuses: [container("web", restarts)],
    // What an init container that is no sidecar went through is over, and counts for nothing.
    initContainerStatuses: [container("proxy", sidecarRestarts), container("setup", 50)],
  }
}

function container(name: string, restartCount: number) {
  return { name, image: "", imageID: "", ready: true, restartCount }
}

export function today(time: string): string {
  return `2026-01-05T${time}Z`
}

export function observed(owner: ReplicaSet, pods: readonly Pod[], more: Partial<Observed> = {}): Observed {
  const kind = replicaSetKind as unknown as ReplicaKind
  return { owner, kind, active: pods.filter(isPodActive), terminating: pods.filter(isPodTerminating), claims: [], related: pods, ...more }
}

export function operationsOf(plan: Plan): readonly Operation[] {
  return plan.steps.flatMap((step) => step.operations)
}

export function namesOf(pods: readonly Pod[]): readonly (string | undefined)[] {
  return pods.map(({ metadata }) => metadata.name)
}
