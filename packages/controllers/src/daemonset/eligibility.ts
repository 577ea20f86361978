import { requiredNodeAffinity, untoleratedTaint } from "@pilothouse/api"
import type { DaemonSet } from "@pilothouse/api/apps/v1"
import type { Node, PodSpec, Toleration } from "@pilothouse/api/core/v1"

type Tolerations = readonly Toleration[]

/** A daemon stays on its node whatever state the node is in; only taints that users set keep it away. */
const always: Tolerations = [
  exists("not-ready", "NoExecute"),
  exists("unreachable", "NoExecute"),
  exists("disk-pressure", "NoSchedule"),
  exists("memory-pressure", "NoSchedule"),
  exists("pid-pressure", "NoSchedule"),
  exists("unschedulable", "NoSchedule"),
]

/** Daemons on the host's network are often what brings the network up. */
const onHostNetwork = exists("network-unavailable", "NoSchedule")

export function daemonTolerations(spec: PodSpec | undefined): Tolerations {
  const added = spec?.hostNetwork ? [...always, onHostNetwork] : always
  return added.reduce(withToleration, spec?.tolerations ?? [])
}

/** One that the template has for the same taint is replaced: it may have a limit of time, ours have none. */
function withToleration(tolerations: Tolerations, added: Toleration): Tolerations {
  if (!tolerations.some((one) => isForSame(one, added))) return [...tolerations, added]
  return tolerations.map((one) => (isForSame(one, added) ? added : one))
}

function isForSame(a: Toleration, b: Toleration): boolean {
  return (
    a.key === b.key && a.effect === b.effect && (a.operator ?? "Equal") === (b.operator ?? "Equal") && (a.value ?? "") === (b.value ?? "")
  )
}

function exists(name: string, effect: Toleration["effect"]): Toleration {
  return { key: `node.kubernetes.io/${name}`, operator: "Exists", effect }
}

export interface Eligibility {
  /** Whether a pod should be made there. */
  readonly runs: boolean
  /** Whether a pod that is there may stay: a taint NoSchedule keeps new ones away and evicts none. */
  readonly stays: boolean
  /** Why not. */
  readonly reason?: string
}

/** Capacity and ports are left to the scheduler, and a node that is not ready gets its pod too. Created once for many nodes. */
export function eligibilityFor({ spec }: DaemonSet): (node: Node) => Eligibility {
  const template = spec?.template?.spec
  // Frozen, so that they are indexed once for all nodes.
  const tolerations = Object.freeze(daemonTolerations(template))
  const matches = requiredNodeAffinity({ spec: template })
  return (node) => {
    const name = node.metadata.name ?? ""
    if (template?.nodeName && template.nodeName !== name) return nowhere(`the template names the node ${template.nodeName}`)
    if (!matches(node)) return nowhere(`${name} does not match the node selector or affinity`)
    const refused = untoleratedTaint(node.spec?.taints, tolerations, { effects: ["NoSchedule", "NoExecute"] })
    if (refused === undefined) return { runs: true, stays: true }
    const evicts = untoleratedTaint(node.spec?.taints, tolerations, { effects: ["NoExecute"] })
    const taint = evicts ?? refused
    return { runs: false, stays: evicts === undefined, reason: `the taint ${taint.key}:${taint.effect} of ${name} is not tolerated` }
  }
}

function nowhere(reason: string): Eligibility {
  return { runs: false, stays: false, reason }
}
