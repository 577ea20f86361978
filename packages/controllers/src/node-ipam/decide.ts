import { isConflict, isNotFound } from "@pilothouse/api"
import type { Node } from "@pilothouse/api/core/v1"
import { formatCidr } from "@pilothouse/api/net"
import { type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { foreignCidr, podCidrs } from "./blocks.ts"
import { needsBlocks, type Observed } from "./observe.ts"
import type { Choice, RememberHold } from "./pool.ts"
import type { Range } from "./ranges.ts"

/** Allocates a block of each range to a node without pod addresses: upstream's AllocateOrOccupyCIDR. Existing CIDRs are never changed. */
export function decide({ node, choice, hasStaleHold }: Observed, ranges: readonly Range[]): Plan {
  const all = ranges.map(({ cluster }) => formatCidr(cluster)).join(" and ")
  if (!needsBlocks(node)) return plan().nothing(describeAllocation(node, ranges, all))
  const built = plan()
  if (hasStaleHold) built.operation(releaseHold(node))
  if (choice === undefined) return statusIsNow(built, node, "CIDRNotAvailable").waitFor(`a block of ${all}: all are taken`)
  const { uid, resourceVersion } = node.metadata
  const { blocks } = choice
  if (choice.next !== undefined) built.operation(holdBlocks(node, choice)).nextStep()
  const patch = { metadata: { uid, resourceVersion }, spec: { podCIDR: blocks[0], podCIDRs: blocks } }
  return built.patch(node, patch, `it has no pod addresses, and ${blocks.join(" and ")} of ${all} are free`)
}

/** Holds the blocks, so that the next reconcile gets the same: a write without a response may have been applied. */
function holdBlocks({ metadata: { name = "" } }: Node, choice: Choice): RememberHold {
  const reason = "no other node may get the same before the cache shows it"
  return { do: "remember-hold", to: `${choice.blocks.join(" and ")} for ${name}`, reason, node: name, choice }
}

function releaseHold({ metadata: { name = "" } }: Node): RememberHold {
  const reason = "a range is exhausted, and its blocks of other ranges are free for other nodes"
  return { do: "remember-hold", to: `nothing for ${name}`, reason, node: name }
}

/** A conflict with another write of the node is no failure: the next reconcile gives it the same block. */
export function settle({ node }: Observed, results: readonly Result[]): Plan {
  const hasFailed = results.some((result) => result.ok === false && !isConflict(result.error) && !isNotFound(result.error))
  return hasFailed ? statusIsNow(plan(), node, "CIDRAssignmentFailed") : plan()
}

function statusIsNow(built: PlanBuilder, node: Node, status: string): PlanBuilder {
  return built.event(node, "Normal", status, `Node ${node.metadata.name} status is now: ${status}`)
}

function describeAllocation(node: Node, ranges: readonly Range[], all: string): string {
  if (node.metadata.deletionTimestamp !== undefined) return "the node is being deleted"
  const foreign = foreignCidr(node, ranges)
  return foreign === undefined ? `it has ${podCidrs(node).join(" and ")}` : `its pod CIDR ${foreign} is not in ${all}; it is left alone`
}
