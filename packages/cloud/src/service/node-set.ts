import type { Node } from "@pilothouse/api/core/v1"
import type { Change } from "@pilothouse/runtime"

const excludeLabel = "node.kubernetes.io/exclude-from-external-load-balancers"
const toBeDeletedTaint = "ToBeDeletedByClusterAutoscaler"

/** The values that Go reads as false; any other value of the label excludes the node. */
const falseWords: ReadonlySet<string> = new Set(["0", "f", "F", "false", "FALSE", "False"])

/**
 * Returns the nodes behind every balancer. Readiness does not matter: with traffic policy Local the balancer's own health check decides, with Cluster any
 * node passes traffic on, and a control plane that loses sight of its nodes must not empty every balancer.
 */
export function balancedNodes(nodes: readonly Node[]): readonly Node[] {
  return nodes.filter((node) => node.metadata.deletionTimestamp === undefined && isIncluded(node) && !isToBeDeleted(node))
}

function isIncluded({ metadata }: Node): boolean {
  const excluded = metadata.labels?.[excludeLabel]
  return excluded === undefined || falseWords.has(excluded)
}

function isToBeDeleted({ spec }: Node): boolean {
  return spec?.taints?.some((taint) => taint.key === toBeDeletedTaint) ?? false
}

/** The predicate for nodes. The taint of the autoscaler alone is no reason: connections on that node may still end. It counts at the next update. */
export function concernsBalancers(change: Change<Node>): boolean {
  if (change.type !== "updated") return change.type !== "resync"
  const { old, object } = change
  return isIncluded(old) !== isIncluded(object) || (old.spec?.providerID ?? "") !== (object.spec?.providerID ?? "")
}

/** Reports whether two sets of nodes are the same to a balancer. */
export function areSameNodes(one: readonly Node[], other: readonly Node[]): boolean {
  if (one.length !== other.length) return false
  const known = new Map(one.map((node) => [node.metadata.name, node.spec?.providerID ?? ""]))
  return other.every((node) => known.get(node.metadata.name) === (node.spec?.providerID ?? ""))
}

const maxNames = 20

/** "[node-1 node-2]", at most twenty of them. */
export function nodeNames(nodes: readonly Node[]): string {
  const names = nodes
    .slice(0, maxNames)
    .map((node) => node.metadata.name)
    .sort()
  return `[${[...names, ...(nodes.length > maxNames ? [`<${nodes.length - maxNames} more>`] : [])].join(" ")}]`
}
