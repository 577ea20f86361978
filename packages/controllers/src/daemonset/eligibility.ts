import { requiredNodeAffinity, untoleratedTaint } from "@pilothouse/api"
import type { DaemonSet } from "@pilothouse/api/apps/v1"
import type { Node } from "@pilothouse/api/core/v1"
import { daemonTolerations } from "./tolerations.ts"

export interface Eligibility {
  /** Whether a pod should be made there. */
  readonly runs: boolean
  /** Whether a pod that is there may stay: a taint NoSchedule keeps new ones away and evicts nobody. */
  readonly stays: boolean
  /** Why not. */
  readonly reason?: string
}

/** Capacity and ports are the scheduler's affair, and a node that is not ready gets its pod all the same. Ask once for many nodes. */
export function eligibilityFor({ spec }: DaemonSet): (node: Node) => Eligibility {
  const template = spec?.template?.spec
  const tolerations = daemonTolerations(template)
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
