import { isConflict, isNotFound } from "@pilothouse/api"
import type { Node } from "@pilothouse/api/core/v1"
import { formatCidr } from "@pilothouse/api/net"
import { type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { podCidrsOf, strayCidr } from "./blocks.ts"
import { needsBlocks, type Observed } from "./observe.ts"
import type { Choice, RememberHold } from "./pool.ts"
import type { Range } from "./ranges.ts"

/** A node without pod addresses gets a block of each range. What a node has is never changed. */
export function decide({ node, choice, holdsInVain }: Observed, ranges: readonly Range[]): Plan {
  const all = ranges.map(({ cluster }) => formatCidr(cluster)).join(" and ")
  if (!needsBlocks(node)) return plan().nothing(whatItHas(node, ranges, all))
  const built = plan()
  if (holdsInVain) built.operation(givingBack(node))
  if (choice === undefined) return statusIsNow(built, node, "CIDRNotAvailable").waitFor(`a block of ${all}: all are taken`)
  const { uid, resourceVersion } = node.metadata
  const { blocks } = choice
  if (choice.next !== undefined) built.operation(holding(node, choice)).nextStep()
  const patch = { metadata: { uid, resourceVersion }, spec: { podCIDR: blocks[0], podCIDRs: blocks } }
  return built.patch(node, patch, `it has no pod addresses, and ${blocks.join(" and ")} of ${all} are free`)
}

/** A second look gets the same: the write whose answer was lost may have happened. */
function holding({ metadata: { name = "" } }: Node, choice: Choice): RememberHold {
  const reason = "no other node may be given the same before the cache shows it"
  return { do: "remember-hold", to: `${choice.blocks.join(" and ")} for ${name}`, reason, node: name, choice }
}

function givingBack({ metadata: { name = "" } }: Node): RememberHold {
  const reason = "a range has none left for it, and those of the others are of use to other nodes"
  return { do: "remember-hold", to: `nothing for ${name}`, reason, node: name }
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
