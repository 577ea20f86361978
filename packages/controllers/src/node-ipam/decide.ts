import { isConflict, isNotFound } from "@pilothouse/api"
import type { Node } from "@pilothouse/api/core/v1"
import { type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { podCidrsOf, strayCidr } from "./blocks.ts"
import { formatCidr } from "./cidr.ts"
import { needsBlocks, type Observed } from "./observe.ts"
import type { Range } from "./ranges.ts"

/** A node without pod addresses gets a block of each range. What a node has is never changed. */
export function decide({ node, blocks }: Observed, ranges: readonly Range[]): Plan {
  const all = ranges.map(({ cluster }) => formatCidr(cluster)).join(" and ")
  if (!needsBlocks(node)) return plan().nothing(whatItHas(node, ranges, all))
  const built = plan()
  if (blocks === undefined) return statusIsNow(built, node, "CIDRNotAvailable").waitFor(`a block of ${all}: all are taken`)
  const { uid, resourceVersion } = node.metadata
  const patch = { metadata: { uid, resourceVersion }, spec: { podCIDR: blocks[0], podCIDRs: blocks } }
  return built.patch(node, patch, `it has no pod addresses, and ${blocks.join(" and ")} of ${all} are free`)
}

/** Somebody else's change of the node in between is no failure: the next look gives it the same block. */
export function settle({ node }: Observed, results: readonly Result[]): Plan {
  const hasFailed = results.some((result) => result.ok === false && !isConflict(result.error) && !isNotFound(result.error))
  return hasFailed ? statusIsNow(plan(), node, "CIDRAssignmentFailed") : plan()
}

function statusIsNow(built: PlanBuilder, node: Node, status: string): PlanBuilder {
  return built.event(node, "Normal", status, `Node ${node.metadata.name} status is now: ${status}`)
}

function whatItHas(node: Node, ranges: readonly Range[], all: string): string {
  if (node.metadata.deletionTimestamp !== undefined) return "the node is being deleted"
  const stray = strayCidr(node, ranges)
  return stray === undefined ? `it has ${podCidrsOf(node).join(" and ")}` : `its pod CIDR ${stray} is not in ${all}; it is left alone`
}
