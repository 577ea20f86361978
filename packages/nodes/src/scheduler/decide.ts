import { type DecideContext, type Plan, plan } from "@pilothouse/runtime"
import { bindOrPrepare } from "./bind.ts"
import type { NodeView } from "./cache/node-state.ts"
import type { Observed } from "./cache/observe.ts"
import { DeviceError } from "./devices/requests.ts"
import { checksFor, type NamedCheck, type NamedRefusal, type Refusals } from "./filters/filter.ts"
import { namedNodes } from "./filters/node-affinity.ts"
import { findRefusalWithNominated } from "./filters/nominated.ts"
import { backsOffUntil } from "./queue/attempts.ts"
import { failDevices, failVolumeBinding, type Obstacle, refuse } from "./refuse-pod.ts"
import { selectHost } from "./scores/score.ts"
import { hasBegun } from "./volumes/volume-placement.ts"

/** Decides about one pod. Its own reservation does not count against it. */
export function decide(observed: Observed, context: DecideContext): Plan {
  return observed.nodes.without([observed.pod], () => {
    try {
      return schedulePod(observed, context)
    } catch (error) {
      // A claim or class at fault, which another node would not mend.
      if (error instanceof DeviceError) return failDevices(observed, error.message, context)
      throw error
    }
  })
}

function schedulePod(observed: Observed, context: DecideContext): Plan {
  const { attempt, untried, nodes, volumes, reserved, devices } = observed
  if (devices?.waitsFor !== undefined) return plan().nothing(devices.waitsFor).waitFor("its ResourceClaims")
  // A refused pod backs off behind pods that were never tried; when there are none it need not.
  const wait = attempt === undefined || untried === 0 || reserved !== undefined ? 0 : backsOffUntil(attempt) - context.now
  if (wait > 0) return plan().requeueAfter(wait, "it was refused, and other pods wait for their first try")
  if (reserved !== undefined && reserved.until <= context.now && !volumes.claims.every(({ isBound }) => isBound))
    return failVolumeBinding(observed, context)
  if (nodes.list().length === 0) return refuse(observed, { message: "no nodes available to schedule pods" }, context)
  const named = namedNodes(observed.pod.pod)
  const obstacle = whyNowhere(observed, named)
  return obstacle === undefined ? placePod(observed, named, context) : refuse(observed, obstacle, context)
}

/** Why no node will do, whatever the nodes are. */
function whyNowhere({ pod, volumes, devices }: Observed, named: ReadonlySet<string> | undefined): Obstacle | undefined {
  if (pod.excess !== undefined) return { blocked: pod.excess }
  if (volumes.blocked !== undefined) return { blocked: volumes.blocked }
  if (devices?.blocked !== undefined) return { blocked: devices.blocked, by: "dynamicResources" }
  return named?.size === 0 ? { blocked: "pod affinity terms conflict" } : undefined
}

function placePod(observed: Observed, named: ReadonlySet<string> | undefined, context: DecideContext): Plan {
  const checks = checksFor(observed)
  const preferred = preferredNode(observed, checks)
  if (preferred !== undefined) return bindOrPrepare(observed, preferred, "its place there is kept for it", context.now)
  const { fitting, refusals } = findFittingNodes(observed, checks, named)
  const best = selectHost(observed, fitting, context.random)
  if (best === undefined) return refuse(observed, { refusals }, context)
  const why = `it is the best of ${fitting.length} nodes that fit, with a score of ${best.score}`
  return bindOrPrepare(observed, best.node, why, context.now)
}

/** The node that is reserved for it, or that it is nominated to; if it still fits. */
function preferredNode(observed: Observed, checks: readonly NamedCheck[]): NodeView | undefined {
  const { pod, nodes, reserved, volumes } = observed
  const name = reserved?.node ?? pod.pod.status?.nominatedNodeName
  const node = name === undefined ? undefined : nodes.get(name)
  // A claim that lost its annotation could not be provisioned there: all nodes are filtered again.
  const failed = reserved !== undefined && volumes.claims.some((claim) => !claim.isBound && !hasBegun(claim))
  return node === undefined || failed || findRefusalWithNominated(observed, checks, node) !== undefined ? undefined : node
}

interface FilterResult {
  readonly fitting: readonly NodeView[]
  readonly refusals: Refusals
}

function findFittingNodes(observed: Observed, checks: readonly NamedCheck[], named: ReadonlySet<string> | undefined): FilterResult {
  const fitting: NodeView[] = []
  const refusals = new Map<NodeView, NamedRefusal>()
  for (const node of observed.nodes.list()) {
    const refusal = named === undefined || named.has(node.name) ? findRefusalWithNominated(observed, checks, node) : notNamed
    if (refusal === undefined) fitting.push(node)
    else refusals.set(node, refusal)
  }
  return { fitting, refusals }
}

const notNamed: NamedRefusal = { reasons: ["node(s) didn't satisfy plugin(s) [NodeAffinity]"], resolvable: false, by: "nodeAffinity" }
