import { formatTime, type OwnerReference } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { PodDisruptionBudget } from "@pilothouse/api/policy/v1"
import { seededRandom } from "@pilothouse/seams"

export const now = Date.UTC(2026, 0, 5, 9)
export const context = { now, random: seededRandom(1) }

/** Seconds before `now`. */
export function ago(seconds: number): string {
  return formatTime(now - seconds * 1000)
}

export function budget(spec: PodDisruptionBudget["spec"], status?: PodDisruptionBudget["status"]): PodDisruptionBudget {
  const metadata = { name: "web", namespace: "default", uid: "b-1", generation: 2, resourceVersion: "5" }
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata,
    spec: { selector: { matchLabels: { app: "web" } }, ...spec },
    status,
  }
}

export function owner(kind: string, name: string, apiVersion = "apps/v1"): OwnerReference {
  return { apiVersion, kind, name, uid: `${name}-uid`, controller: true }
}

interface PodFacts {
  readonly ready?: boolean
  readonly deleted?: boolean
  readonly owner?: OwnerReference
  readonly conditions?: NonNullable<Pod["status"]>["conditions"]
  readonly phase?: NonNullable<Pod["status"]>["phase"]
}

export function pod(name: string, facts: PodFacts = {}): Pod {
  const { ready = true, deleted = false, owner: of = owner("ReplicaSet", "web"), conditions = [], phase = "Running" } = facts
  const ownerReferences = of.name === "" ? [] : [of]
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "default",
      generation: 1,
      labels: { app: "web" },
      ownerReferences,
      ...(deleted && { deletionTimestamp: ago(1) }),
    },
    status: { phase, conditions: [{ type: "Ready", status: ready ? "True" : "False" }, ...conditions] },
  }
}

/** For `owner`: a pod without a controller. */
export const noOwner = owner("", "")
