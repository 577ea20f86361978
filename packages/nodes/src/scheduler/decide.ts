import { type DecideContext, type Plan, plan } from "@pilothouse/runtime"
import { backsOffUntil } from "./attempts.ts"
import { bindOrPrepare } from "./bind.ts"
import type { NodeView } from "./cache/node-state.ts"
import { checksFor, type NamedCheck, type NamedRefusal } from "./filters/filter.ts"
import { namedNodes } from "./filters/node-affinity.ts"
import { whyNotBeside } from "./filters/nominated.ts"
import type { Observed } from "./observe.ts"
import { giveUp, refuse } from "./refuse-pod.ts"
import { bestOf } from "./scores/score.ts"
import { hasBegun } from "./volumes/volume-placement.ts"

/** Why each node was refused. */
export type Refusals = ReadonlyMap<NodeView, NamedRefusal>

/** A pod for which a place is kept is not in its own way. */
export function decide(observed: Observed, context: DecideContext): Plan {
  return observed.nodes.without([observed.pod], () => place(observed, context))
}

function place(observed: Observed, context: DecideContext): Plan {
  const { attempt, untried, nodes, volumes, kept } = observed
  // Behind pods that were never tried, one that was has to wait; when there are none it need not.
  const wait = attempt === undefined || untried === 0 || kept !== undefined ? 0 : backsOffUntil(attempt) - context.now
  if (wait > 0) return plan().requeueAfter(wait, "it was refused, and other pods wait for their first try")
  if (kept !== undefined && kept.until <= context.now && !volumes.claims.every(({ isBound }) => isBound)) return giveUp(observed, context)
  if (nodes.list().length === 0) return refuse(observed, { message: "no nodes available to schedule pods" }, context)
  if (volumes.blocked !== undefined) return refuse(observed, { blocked: volumes.blocked }, context)
  const named = namedNodes(observed.pod.pod)
  if (named?.size === 0) return refuse(observed, { blocked: "pod affinity terms conflict" }, context)
  const checks = checksFor(observed)
  const preferred = preferredNode(observed, checks)
  if (preferred !== undefined) return bindOrPrepare(observed, preferred, "its place there is kept for it", context.now)
  const { fitting, refusals } = sortOut(observed, checks, named)
  const best = bestOf(observed, fitting, context.random)
  if (best === undefined) return refuse(observed, { refusals }, context)
  const why = `it is the best of ${fitting.length} nodes that fit, with a score of ${best.score}`
  return bindOrPrepare(observed, best.node, why, context.now)
}

/** The one that is kept for it, or that others were told to leave for it; if it still fits. */
function preferredNode(observed: Observed, checks: readonly NamedCheck[]): NodeView | undefined {
  const { pod, nodes, kept, volumes } = observed
  const name = kept?.node ?? pod.pod.status?.nominatedNodeName
  const node = name === undefined ? undefined : nodes.get(name)
  // A claim that lost its annotation could not be provisioned there: all nodes are looked at again.
  const failed = kept !== undefined && volumes.claims.some((claim) => !claim.isBound && !hasBegun(claim))
  return node === undefined || failed || whyNotBeside(observed, checks, node) !== undefined ? undefined : node
}

interface Sorted {
  readonly fitting: readonly NodeView[]
  readonly refusals: Refusals
}

function sortOut(observed: Observed, checks: readonly NamedCheck[], named: ReadonlySet<string> | undefined): Sorted {
  const fitting: NodeView[] = []
  const refusals = new Map<NodeView, NamedRefusal>()
  for (const node of observed.nodes.list()) {
    const refusal = named === undefined || named.has(node.name) ? whyNotBeside(observed, checks, node) : notNamed
    if (refusal === undefined) fitting.push(node)
    else refusals.set(node, refusal)
  }
  return { fitting, refusals }
}

const notNamed: NamedRefusal = { reasons: ["node(s) didn't satisfy plugin(s) [NodeAffinity]"], curable: false, by: "nodeAffinity" }
