import { type ControllerRevision, type StatefulSet, type StatefulSetSpec, statefulSets } from "@pilothouse/api/apps/v1"
import type { PersistentVolumeClaim, Pod } from "@pilothouse/api/core/v1"
import type { KubeOperation, Operation, Plan } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { newRevision, type Proposal } from "../../controller-revisions/observe-revisions.ts"
import { revisionData, revisionHash, revisionName } from "../../controller-revisions/revision-data.ts"
import type { Observed } from "../observe.ts"
import { statefulPod } from "../stateful-pod.ts"

export const now = Date.UTC(2026, 0, 5, 9)
export const context = { now, random: seededRandom(1) }

interface SetFacts {
  readonly image?: number
  readonly spec?: Partial<StatefulSetSpec>
  readonly metadata?: Partial<StatefulSet["metadata"]>
  /** The image that the status calls current; by default the same as the present one. */
  readonly current?: number
  readonly status?: Partial<StatefulSet["status"]>
}

export function statefulSet(replicas: number, { image = 1, current = image, spec, metadata, status }: SetFacts = {}): StatefulSet {
  const containers = [{ name: "web", image: `example/web:${image}` }]
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "web", namespace: "default", uid: "sts-1", generation: 1, ...metadata },
    spec: {
      replicas,
      serviceName: "web",
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers } },
      podManagementPolicy: "OrderedReady",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
      ...spec,
    },
    status: { replicas: 0, currentRevision: nameFor(current), updateRevision: nameFor(image), collisionCount: 0, ...status },
  }
}

export const parallel = { podManagementPolicy: "Parallel" as const }
export const withClaims: Partial<StatefulSetSpec> = {
  volumeClaimTemplates: [
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data", labels: { kind: "fast" } },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ],
}

interface PodFacts {
  readonly image?: number
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed"
  readonly ready?: boolean
  /** "08:30:00" of the day that `now` is in. */
  readonly readySince?: string
  readonly deleting?: boolean
  readonly labels?: Readonly<Record<string, string | undefined>>
}

/** A pod as the controller creates it, by default running and ready. */
export function pod(ordinal: number, facts: PodFacts = {}, spec?: Partial<StatefulSetSpec>): Pod {
  const { image = 1, phase = "Running", ready = phase === "Running", readySince = "08:30:00" } = facts
  const owner = statefulSet(1, { image, spec })
  const made = statefulPod(owner, owner.spec!.template, nameFor(image), ordinal)
  return {
    ...made,
    metadata: {
      ...made.metadata,
      uid: `pod-${ordinal}`,
      labels: JSON.parse(JSON.stringify({ ...made.metadata.labels, ...facts.labels })),
      ...(facts.deleting && { deletionTimestamp: "2026-01-05T08:59:00Z" }),
    },
    status: { phase, conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: `2026-01-05T${readySince}Z` }] },
  }
}

export function pods(count: number, facts?: PodFacts): readonly Pod[] {
  return Array.from({ length: count }, (_, ordinal) => pod(ordinal, facts))
}

export function claimOf(ordinal: number, metadata: Partial<PersistentVolumeClaim["metadata"]> = {}): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: `data-web-${ordinal}`, namespace: "default", uid: `pvc-${ordinal}`, ...metadata },
  }
}

export function nameFor(image: number): string {
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: `example/web:${image}` }] } }
  return revisionName("web", revisionHash(revisionData(template), 0))
}

export function proposalFor(set: StatefulSet): Proposal {
  const data = revisionData(set.spec!.template)
  const hash = revisionHash(data, 0)
  return { data, hash, name: revisionName(set.metadata.name ?? "", hash), collisionCount: 0 }
}

export function revision(image: number, number = image): ControllerRevision {
  const owner = statefulSet(1, { image })
  const made = newRevision(owner, statefulSets, proposalFor(owner), { app: "web" }, number)
  return { ...made, metadata: { ...made.metadata, uid: made.metadata.name } }
}

/** Its current and its present template have their revisions already. */
export function observed(
  set: StatefulSet,
  more: Partial<Omit<Observed, "claims">> & { claims?: readonly PersistentVolumeClaim[] } = {},
): Observed {
  const { claims = [], ...rest } = more
  return {
    set,
    pods: [],
    revisions: [1, 2]
      .map((image) => revision(image))
      .filter(({ metadata }) => [set.status?.currentRevision, set.status?.updateRevision].includes(metadata.name)),
    proposal: proposalFor(set),
    ownership: [],
    claims: new Map(claims.map((claim) => [claim.metadata.name ?? "", claim])),
    ...rest,
  }
}

export function operationsOf(plan: Plan): readonly Operation[] {
  return plan.steps.flatMap((step) => step.operations)
}

export function kubeOperationsOf(plan: Plan): readonly KubeOperation[] {
  return operationsOf(plan).filter((operation): operation is KubeOperation => "object" in operation)
}

/** "create web-0", in the order in which it is done; what is written to the set itself is left out. */
export function movesOf(plan: Plan): readonly string[] {
  return kubeOperationsOf(plan)
    .filter(({ object }) => object.kind === "Pod" || object.kind === "PersistentVolumeClaim")
    .map((operation) => `${operation.do} ${operation.object.metadata.name}`)
}
