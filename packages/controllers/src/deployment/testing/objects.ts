import type { Deployment, DeploymentCondition, DeploymentSpec, ReplicaSet } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { type Operation, type Plan, plan } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { type Edit, writeEdits } from "../edit.ts"
import type { Observed } from "../observe.ts"

export const now = Date.UTC(2026, 0, 5, 9)
export const context = { now, random: seededRandom(1) }

/** "09:00:00" is `now`. */
export function today(time: string): string {
  return `2026-01-05T${time}Z`
}

interface DeploymentFacts extends Partial<Omit<DeploymentSpec, "template">> {
  readonly surge?: number | string
  readonly unavailable?: number | string
  readonly image?: number
  readonly metadata?: Partial<Deployment["metadata"]>
  readonly status?: Deployment["status"]
}

/** Of image 2, generation 2, with the API server's defaults but for the deadline, and revision 2 already noted. */
export function deployment(replicas: number, facts: DeploymentFacts = {}): Deployment {
  const { surge = "25%", unavailable = "25%", image = 2, metadata, status, ...spec } = facts
  const annotations = { "deployment.kubernetes.io/revision": "2" }
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default", uid: "d-1", generation: 2, annotations, ...metadata },
    spec: {
      replicas,
      selector: { matchLabels: { app: "web" } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: surge, maxUnavailable: unavailable } },
      revisionHistoryLimit: 10,
      template: template(image),
      ...spec,
    },
    ...(status && { status }),
  }
}

export const recreate = { strategy: { type: "Recreate" } } as const

function template(image: number, hash?: string) {
  const labels = { app: "web", ...(hash && { "pod-template-hash": hash }) }
  return { metadata: { labels }, spec: { containers: [{ name: "web", image: `example/web:${image}` }] } }
}

interface SetFacts {
  readonly available?: number
  /** The number of pods; by default all desired ones. */
  readonly pods?: number
  /** The number it was sized for, and the most pods there could be then. */
  readonly sizedFor?: number
  readonly max?: number
  readonly annotations?: Readonly<Record<string, string>>
  readonly metadata?: Partial<ReplicaSet["metadata"]>
  readonly status?: Partial<ReplicaSet["status"]>
  readonly minReadySeconds?: number
}

/** "web-1", "web-2" …, each the ReplicaSet of its image and as old as its number is low. */
export function replicaSet(image: number, size: number, facts: SetFacts = {}): ReplicaSet {
  const { pods = size, available = pods, sizedFor, max = sizedFor } = facts
  const sizes: Readonly<Record<string, string>> =
    sizedFor === undefined
      ? {}
      : { "deployment.kubernetes.io/desired-replicas": String(sizedFor), "deployment.kubernetes.io/max-replicas": String(max) }
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `web-${image}`,
      namespace: "default",
      uid: `rs-${image}`,
      generation: 1,
      creationTimestamp: today(`08:0${image}:00`),
      annotations: { "deployment.kubernetes.io/revision": String(image), ...sizes, ...facts.annotations },
      ...facts.metadata,
    },
    spec: {
      replicas: size,
      minReadySeconds: facts.minReadySeconds,
      selector: { matchLabels: { app: "web" } },
      template: template(image, `h${image}`),
    },
    status: {
      replicas: pods,
      readyReplicas: available,
      availableReplicas: available,
      observedGeneration: 1,
      terminatingReplicas: 0,
      ...facts.status,
    },
  }
}

export function podOf(set: ReplicaSet, phase: "Pending" | "Running" | "Unknown" | "Succeeded" | "Failed"): Pod {
  const { name = "", uid = "" } = set.metadata
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name, uid, controller: true }]
  return { apiVersion: "v1", kind: "Pod", metadata: { name: `${name}-${phase}`, namespace: "default", ownerReferences }, status: { phase } }
}

export function condition(reason: string, status: DeploymentCondition["status"] = "True", time = "08:00:00"): DeploymentCondition {
  return { type: "Progressing", status, reason, lastUpdateTime: today(time), lastTransitionTime: today(time) }
}

export function observed(of: Deployment, replicaSets: readonly ReplicaSet[], more: Partial<Observed> = {}): Observed {
  return { deployment: of, replicaSets, claims: [], pods: [], ...more }
}

export function operationsOf(of: Plan): readonly Operation[] {
  return of.steps.flatMap((step) => step.operations)
}

/** "web-1 → 2" for every change of a size; "new → 3" for a ReplicaSet that is made. */
export function sizes(of: Plan): readonly string[] {
  return operationsOf(of).flatMap((operation) => {
    if ((operation.do !== "create" && operation.do !== "update") || operation.object.kind !== "ReplicaSet") return []
    const { spec, metadata } = operation.object as ReplicaSet
    return [`${operation.do === "create" ? "new" : metadata.name} → ${spec?.replicas}`]
  })
}

/** The same for edits that are not a plan yet. */
export function sizesOf(edits: readonly Edit[]): readonly string[] {
  const built = plan()
  writeEdits(built, edits)
  return sizes(built)
}

/** The status and annotations that a plan writes for the Deployment. */
export function written(of: Plan): { readonly status?: Deployment["status"]; readonly annotations?: Readonly<Record<string, string>> } {
  const operation = operationsOf(of).find((one) => one.do === "status")
  if (operation?.do !== "status") return {}
  return { status: operation.status as Deployment["status"], annotations: operation.object.metadata.annotations }
}
