import { controllerRef } from "@pilothouse/api"
import { type ControllerRevision, type DaemonSet, type DaemonSetSpec, daemonSets } from "@pilothouse/api/apps/v1"
import type { Node, Pod, PodSpec, Taint } from "@pilothouse/api/core/v1"
import type { KubeOperation, Operation, Plan } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { newRevision, type Proposal } from "../../controller-revisions/observe-revisions.ts"
import { revisionData, revisionHash, revisionName } from "../../controller-revisions/revision-data.ts"
import { daemonPod, hashLabel } from "../daemon-pod.ts"
import type { Observed } from "../observe.ts"

export const now = Date.UTC(2026, 0, 5, 9)
export const context = { now, random: seededRandom(1) }

interface SetFacts {
  readonly image?: number
  readonly template?: Partial<PodSpec>
  readonly spec?: Partial<DaemonSetSpec>
  readonly metadata?: Partial<DaemonSet["metadata"]>
  readonly status?: DaemonSet["status"]
}

export function daemonSet({ image = 1, template, spec, metadata, status }: SetFacts = {}): DaemonSet {
  const containers = [{ name: "agent", image: `example/agent:${image}` }]
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "agent", namespace: "default", uid: "ds-1", generation: 1, ...metadata },
    spec: {
      selector: { matchLabels: { app: "agent" } },
      template: { metadata: { labels: { app: "agent" } }, spec: { containers, ...template } },
      updateStrategy: rolling({ maxUnavailable: 1, maxSurge: 0 }),
      revisionHistoryLimit: 10,
      ...spec,
    },
    ...(status && { status }),
  }
}

export function rolling(rollingUpdate: { readonly maxUnavailable: number | string; readonly maxSurge: number | string }) {
  return { type: "RollingUpdate" as const, rollingUpdate }
}

export const surging = (maxSurge: number | string) => rolling({ maxUnavailable: 0, maxSurge })

interface NodeFacts {
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: readonly Taint[]
}

export function node(name: string, { labels, taints }: NodeFacts = {}): Node {
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels }, spec: { taints } }
}

export function nodes(count: number): readonly Node[] {
  return Array.from({ length: count }, (_, index) => node(`node-${index + 1}`))
}

interface PodFacts {
  readonly name?: string
  readonly image?: number
  readonly phase?: "Pending" | "Running" | "Succeeded" | "Failed"
  readonly ready?: boolean
  /** "08:30:00" of the day that `now` is in. */
  readonly readySince?: string
  readonly created?: string
  readonly deleting?: boolean
  readonly scheduled?: boolean
  readonly labels?: Readonly<Record<string, string>>
}

/** A pod as the controller creates it, by default on its node and ready. */
export function pod(on: string, facts: PodFacts = {}): Pod {
  const { image = 1, phase = "Running", ready = phase === "Running", readySince = "08:30:00", created = "08:00:00" } = facts
  const owner = daemonSet({ image })
  const made = daemonPod(owner, on, hashOf(owner))
  const name = facts.name ?? `${on}-v${image}`
  return {
    ...made,
    metadata: {
      ...made.metadata,
      name,
      uid: name,
      labels: { ...made.metadata.labels, ...facts.labels },
      creationTimestamp: `2026-01-05T${created}Z`,
      ...(facts.deleting && { deletionTimestamp: "2026-01-05T08:59:00Z" }),
    },
    spec: { ...made.spec!, ...(facts.scheduled !== false && { nodeName: on }) },
    status: { phase, conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: `2026-01-05T${readySince}Z` }] },
  }
}

export function hashOf({ spec }: DaemonSet): string {
  return revisionHash(revisionData(spec!.template), 0)
}

export function proposalFor(owner: DaemonSet): Proposal {
  const hash = hashOf(owner)
  return { data: revisionData(owner.spec!.template), hash, name: revisionName(owner.metadata.name ?? "", hash), collisionCount: 0 }
}

export function revision(owner: DaemonSet, number: number, metadata: Partial<ControllerRevision["metadata"]> = {}): ControllerRevision {
  const proposal = proposalFor(owner)
  const made = newRevision(owner, daemonSets, proposal, { app: "agent", [hashLabel]: proposal.hash }, number)
  return {
    ...made,
    metadata: { ...made.metadata, uid: made.metadata.name, ownerReferences: [controllerRef(owner, daemonSets)], ...metadata },
  }
}

/** Its template has its revision already. */
export function observed(owner: DaemonSet, more: Partial<Observed> = {}): Observed {
  return {
    daemonSet: owner,
    nodes: [],
    pods: [],
    revisions: [revision(owner, 1)],
    proposal: proposalFor(owner),
    claims: [],
    backoffs: new Map(),
    ...more,
  }
}

export function operationsOf(plan: Plan): readonly Operation[] {
  return plan.steps.flatMap((step) => step.operations)
}

export function kubeOperationsOf(plan: Plan): readonly KubeOperation[] {
  return operationsOf(plan).filter((operation): operation is KubeOperation => "object" in operation)
}

/** The names of deleted pods, and the nodes that get one. */
export function movesOf(plan: Plan): { readonly create: readonly string[]; readonly remove: readonly string[] } {
  const ofPods = kubeOperationsOf(plan).filter(({ object }) => object.kind === "Pod")
  const target = ({ object }: KubeOperation) =>
    (object as Pod).spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms[0]?.matchFields?.[0]
      ?.values?.[0] ?? ""
  return {
    create: ofPods.filter((operation) => operation.do === "create").map(target),
    remove: ofPods.filter((operation) => operation.do === "delete").map(({ object }) => object.metadata.name ?? ""),
  }
}
