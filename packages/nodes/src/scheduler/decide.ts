import { findCondition, formatTime } from "@pilothouse/api"
import type { Node, PodCondition } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { bindOrPrepare } from "./bind.ts"
import type { NodeView } from "./cache/node-state.ts"
import type { Observed } from "./cache/observe.ts"
import { nominate, release } from "./cache/reserved-capacity.ts"
import { DeviceError } from "./devices/requests.ts"
import { freeClaim } from "./devices/reserve-claims.ts"
import { checksFor, type NamedCheck, type NamedRefusal, type Refusals } from "./filters/filter.ts"
import { fitMessage, shortened } from "./filters/fit-message.ts"
import { namedNodes } from "./filters/node-affinity.ts"
import { findRefusalWithNominated } from "./filters/nominated.ts"
import { planEvictions } from "./preemption/evict-victims.ts"
import { noHelp, type Preemption, preempt } from "./preemption/preempt.ts"
import { backsOffUntil, type NoteRefusal } from "./queue/attempts.ts"
import type { FilterName } from "./queue/filter-name.ts"
import { selectHost } from "./scores/score.ts"
import { hasBegun } from "./volumes/volume-placement.ts"

/** Every refused pod is tried again after this time, as upstream does. */
const maxUnschedulableTime = "5m"

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

/** Why no node fits: each node's refusal, a reason that no node can change, or that there are none. */
type Obstacle = { readonly refusals: Refusals } | { readonly blocked: string; readonly by?: FilterName } | { readonly message: string }

/** Reports why no node fits; preempts others where that helps. */
function refuse(observed: Observed, obstacle: Obstacle, context: DecideContext): Plan {
  const count = observed.nodes.list().length
  const preemption: Preemption = "refusals" in obstacle ? preempt(observed, obstacle.refusals) : { message: noHelp(count) }
  const freeing = plan()
  const { devices, pod } = observed
  const isFreed = "refusals" in obstacle && devices !== undefined && freeClaim(freeing, pod.pod, devices, nodesOf(obstacle.refusals))
  const message = messageOf(obstacle, isFreed ? { message: noHelp(count) } : preemption, count, isFreed)
  const built = (isFreed ? freeing : plan())
    .nothing(message, { stuck: true })
    .waitFor("a node that fits")
    .requeueAfter(maxUnschedulableTime, "it is tried again now and then")
  if (observed.reserved !== undefined) built.operation(release(observed.pod, "no node takes it any more"))
  if (isFreed) return recorded(built, observed, obstacle, message, context)
  if ("victims" in preemption) planEvictions(built, observed, preemption, context)
  const nominated = nominatedBy(preemption, observed)
  if ("victims" in preemption) built.operation(nominate(observed.pod, preemption.node.name))
  recordFailure(built, observed, { message, nominated }, context)
  return built.operation(refusalNote(observed, obstacle, context))
}

/** The devices of a claim are free: that comes before other pods have to leave. */
function recorded(built: PlanBuilder, observed: Observed, obstacle: Obstacle, message: string, context: DecideContext): Plan {
  recordFailure(built.nextStep(), observed, { message }, context)
  return built.operation(refusalNote(observed, obstacle, context))
}

function nodesOf(refusals: Refusals): readonly Node[] {
  return [...refusals.keys()].map(({ node }) => node)
}

/** A claim or a device class that cannot be served as it is: the pod is tried again when one of them changes, and after a while. */
function failDevices(observed: Observed, fault: string, context: DecideContext): Plan {
  const message = `running "DynamicResources" filter plugin: ${fault}`
  const built = plan().nothing(message, { stuck: true }).requeueAfter(maxUnschedulableTime, "it is tried again now and then")
  recordFailure(built, observed, { message, reason: "SchedulerError" }, context)
  return built.operation(refusalNote(observed, { blocked: message, by: "dynamicResources" }, context))
}

function nominatedBy(preemption: Preemption, { pod: { pod } }: Observed): string | undefined {
  if ("victims" in preemption) return preemption.node.name
  return preemption.notTried ? pod.status?.nominatedNodeName : undefined
}

/** The volumes of a pod were not bound in time: its capacity is released, and it is tried again. */
function failVolumeBinding(observed: Observed, context: DecideContext): Plan {
  const message = 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded'
  const built = plan().requeueAfter("1s", "its volumes may come yet").operation(release(observed.pod, "its volumes did not come in time"))
  recordFailure(built, observed, { message, reason: "SchedulerError" }, context)
  return built.operation(refusalNote(observed, { blocked: message }, context))
}

function messageOf(obstacle: Obstacle, preemption: Preemption, nodes: number, isFreed: boolean): string {
  if ("message" in obstacle) return obstacle.message
  const why = "blocked" in obstacle ? `0/${nodes} nodes are available: ${obstacle.blocked}.` : fitMessage(nodes, obstacle.refusals.values())
  if (isFreed) return `${why} deallocation of ResourceClaim completed`
  return "message" in preemption ? `${why} preemption: ${preemption.message}` : why
}

interface Failure {
  readonly message: string
  readonly nominated?: string
  readonly reason?: string
}

function recordFailure(built: PlanBuilder, { pod: { pod } }: Observed, failure: Failure, { now }: DecideContext): void {
  const { message, nominated, reason = "Unschedulable" } = failure
  built.event(pod, "Warning", "FailedScheduling", shortened(message), { action: "Scheduling" })
  const before = findCondition(pod.status?.conditions, "PodScheduled")
  const isSaid = before?.status === "False" && before.reason === reason && before.message === message
  if (isSaid && pod.status?.nominatedNodeName === nominated) return
  const condition: PodCondition = {
    type: "PodScheduled",
    status: "False",
    reason,
    message,
    lastTransitionTime: before?.status === "False" ? before.lastTransitionTime : formatTime(now),
    observedGeneration: pod.metadata.generation,
  }
  const patch = { status: { conditions: [condition], nominatedNodeName: nominated ?? null } }
  built.patch(pod, patch, message, { type: "strategic", subresource: "status" })
}

function refusalNote({ pod, nodes }: Observed, obstacle: Obstacle, { now }: DecideContext): NoteRefusal {
  const by: readonly FilterName[] =
    "refusals" in obstacle
      ? [...new Set([...obstacle.refusals.values()].map((refusal) => refusal.by))]
      : ["by" in obstacle && obstacle.by !== undefined ? obstacle.by : "volumeBinding"]
  return {
    do: "note-refusal",
    to: pod.key,
    reason: `only changes that may help enqueue the pod: ${by.join(", ")}`,
    uid: pod.uid,
    priority: pod.priority,
    by: nodes.list().length === 0 ? [] : by,
    at: now,
  }
}
