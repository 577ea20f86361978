import type { Selector } from "@pilothouse/api"
import type { Node, Pod } from "@pilothouse/api/core/v1"
import type { PodDisruptionBudget } from "@pilothouse/api/policy/v1"
import { NodeStates } from "../cache/node-states.ts"
import type { Observed } from "../cache/observe.ts"
import { checksFor, findRefusal } from "../filters/filter.ts"
import { podFacts } from "../pod/pod-facts.ts"
import { totalScores } from "../scores/score.ts"
import type { CsiVolumesView } from "../volumes/csi-volumes.ts"
import type { VolumesView } from "../volumes/volumes.ts"

/** The fields of a `testPod`. */
export interface PodOptions {
  readonly labels?: Record<string, string>
  readonly namespace?: string
  readonly requests?: Record<string, string>
  readonly on?: string
  readonly spec?: Partial<Pod["spec"]>
  readonly deleting?: boolean
}

/** A pod of one container. */
export function testPod(name: string, { labels, namespace = "default", requests, on, spec, deleting }: PodOptions = {}): Pod {
  const container = { name: "a", image: "a", ...(requests && { resources: { requests } }) }
  const metadata = { name, namespace, uid: `${namespace}-${name}`, labels, generation: 1 }
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: deleting ? { ...metadata, deletionTimestamp: "2026-01-05T09:00:00Z" } : metadata,
    spec: { containers: [container], nodeName: on, ...spec },
  }
}

/** The fields of a `testNode`. */
export interface NodeOptions {
  readonly labels?: Record<string, string>
  readonly allocatable?: Record<string, string>
  readonly spec?: Node["spec"]
}

/** Returns a node with 4 cpus and 8 GiB, unless `allocatable` says otherwise. */
export function testNode(name: string, { labels, allocatable, spec }: NodeOptions = {}): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
    spec,
    status: { allocatable: { cpu: "4", memory: "8Gi", pods: "10", ...allocatable } },
  }
}

/** The state of a cluster, for one decision. */
export interface Situation {
  readonly nodes: readonly Node[]
  readonly pods?: readonly Pod[]
  readonly volumes?: VolumesView
  readonly csi?: CsiVolumesView
  readonly namespaces?: Record<string, Record<string, string>>
  readonly spreadBy?: Selector
  readonly budgets?: readonly PodDisruptionBudget[]
}

/** Returns what the scheduler observes of the pod in the situation. */
export function observed(pod: Pod, { nodes, pods = [], volumes = { claims: [] }, namespaces = {}, ...rest }: Situation): Observed {
  const states = new NodeStates()
  for (const object of nodes) states.nodeChanged({ type: "added", object })
  for (const object of pods) states.podChanged({ type: "added", object })
  return {
    pod: podFacts(pod, states.slots),
    nodes: states,
    namespaces: new Map(Object.entries(namespaces)),
    volumes,
    untried: 0,
    budgets: [],
    ...rest,
  }
}

/** Why each node will not do, or "fits". */
export function verdicts(pod: Pod, situation: Situation): Readonly<Record<string, string>> {
  const seen = observed(pod, situation)
  const checks = checksFor(seen)
  return Object.fromEntries(seen.nodes.list().map((node) => [node.name, findRefusal(checks, node)?.reasons.join("; ") ?? "fits"]))
}

/** What each node is worth in sum. */
export function totals(pod: Pod, situation: Situation): Readonly<Record<string, number>> {
  const seen = observed(pod, situation)
  const nodes = seen.nodes.list()
  const sums = totalScores(seen, nodes)
  return Object.fromEntries(nodes.map(({ name }, at) => [name, sums[at] ?? 0]))
}
