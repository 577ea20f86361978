import { findCondition, formatTime } from "@pilothouse/api"
import type { Node, PodCondition } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import type { Observed } from "./cache/observe.ts"
import { nominate, release } from "./cache/reserved-capacity.ts"
import { freeClaim } from "./devices/reserve-claims.ts"
import type { Refusals } from "./filters/filter.ts"
import { fitMessage, shortened } from "./filters/fit-message.ts"
import { planEvictions } from "./preemption/evict-victims.ts"
import { noHelp, type Preemption, preempt } from "./preemption/preempt.ts"
import type { NoteRefusal } from "./queue/attempts.ts"
import type { FilterName } from "./queue/filter-name.ts"

/** Why no node fits: each node's refusal, a reason that no node can change, or that there are none. */
export type Obstacle =
  | { readonly refusals: Refusals }
  | { readonly blocked: string; readonly by?: FilterName }
  | { readonly message: string }

/** Every refused pod is tried again after this time, as upstream does. */
const maxUnschedulableTime = "5m"

/** Reports why no node fits; preempts others where that helps. */
export function refuse(observed: Observed, obstacle: Obstacle, context: DecideContext): Plan {
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
export function failDevices(observed: Observed, fault: string, context: DecideContext): Plan {
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
export function failVolumeBinding(observed: Observed, context: DecideContext): Plan {
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
