import { findCondition, isPodReady, parseTime } from "@pilothouse/api"
import { nodes, type Pod } from "@pilothouse/api/core/v1"
import type { ClusterView } from "./cluster-view.ts"
import { containerStatusesOf, containerTrouble, crash } from "./container-trouble.ts"
import type { Trouble } from "./trouble.ts"
import { unschedulable } from "./unschedulable.ts"
import { degraded, healthy, progressing, type Verdict } from "./verdict.ts"

export function podVerdict(pod: Pod, view: ClusterView): Verdict {
  const trouble = podTrouble(pod, view)
  if (trouble !== undefined) {
    const { health, text, advice, crashed } = trouble
    return { health, summary: text("it"), advice, crashed }
  }
  if (pod.status?.phase === "Succeeded") return healthy("completed")
  return healthy(`ready on ${pod.spec?.nodeName}`)
}

/** Undefined of a pod that is ready, or has completed. The first of the reasons in the order in which a pod starts. */
export function podTrouble(pod: Pod, view: ClusterView): Trouble | undefined {
  const { spec, status, metadata } = pod
  if (status?.phase === "Succeeded") return undefined
  if (metadata.deletionTimestamp) return stopping(pod, view)
  if (status?.phase === "Failed") return failed(pod)
  const gates = (spec?.schedulingGates ?? []).map(({ name }) => name).join(", ")
  if (gates !== "")
    return { cause: `gates ${gates}`, health: "suspended", text: (who) => `${who} waits for its scheduling gates: ${gates}` }
  if (!spec?.nodeName) return unschedulable(pod, view)
  return nodeTrouble(pod, view) ?? containersTrouble(pod, view) ?? unreadyTrouble(pod)
}

function stopping(pod: Pod, view: ClusterView): Trouble {
  const { deletionTimestamp, finalizers = [] } = pod.metadata
  const node = nodeTrouble(pod, view)
  if (node !== undefined) {
    const stays = "it stays until the kubelet reports that it has ended, or the node is deleted"
    return { ...node, cause: `stopping ${node.cause}`, text: (who) => `${node.text(who)}, and was deleted: ${stays}` }
  }
  const isOver = parseTime(deletionTimestamp!) <= view.now
  if (isOver && finalizers.length > 0) {
    const names = finalizers.join(", ")
    return { cause: `finalizers ${names}`, health: "degraded", text: (who) => `${who} was deleted and is held by the finalizers ${names}` }
  }
  return { cause: "stopping", health: "progressing", text: (who) => `${who} was deleted and is stopping` }
}

/** Of a pod that is not started again. */
function failed(pod: Pod): Trouble {
  const { reason, message } = pod.status ?? {}
  const ended = containerStatusesOf(pod).find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0)
  if (reason || ended === undefined) {
    const why = [reason, message].filter((text) => text !== undefined && text !== "").join(": ") || "no reason was reported"
    return { cause: `failed ${reason}`, health: "degraded", text: (who) => `${who} failed: ${why}` }
  }
  return crash(pod, ended, ended.state!.terminated!)
}

function nodeTrouble(pod: Pod, view: ClusterView): Trouble | undefined {
  const name = pod.spec?.nodeName
  if (name === undefined || view.list(nodes).length === 0) return undefined
  const node = view.find(nodes, name)
  if (node === undefined) return { cause: `node ${name}`, health: "degraded", text: (who) => `node ${name} of ${who} does not exist` }
  const ready = findCondition(node.status?.conditions, "Ready")
  if (ready?.status === "True") return undefined
  const why = ready?.message ?? "it has reported nothing yet"
  return {
    cause: `node ${name}`,
    health: "degraded",
    text: (who) => `node ${name} of ${who} is not ready (${why})`,
    advice: `"pilothouse explain node/${name}" says more`,
  }
}

/** Of the first container that waits or has ended: the ones behind it wait for it. */
function containersTrouble(pod: Pod, view: ClusterView): Trouble | undefined {
  for (const status of containerStatusesOf(pod)) {
    const trouble = containerTrouble(pod, status, view)
    if (trouble !== undefined) return trouble
  }
  return undefined
}

function unreadyTrouble(pod: Pod): Trouble | undefined {
  if (isPodReady(pod)) return undefined
  const gates = (pod.spec?.readinessGates ?? []).map(({ conditionType }) => conditionType)
  const missing = gates.filter((type) => findCondition(pod.status?.conditions, type)?.status !== "True").join(", ")
  if (missing !== "")
    return {
      cause: `readiness gates ${missing}`,
      health: "degraded",
      text: (who) => `the readiness gates of ${who} are not met: ${missing}`,
    }
  return { cause: "starting", health: "progressing", text: (who) => `${who} is being started on ${pod.spec?.nodeName}` }
}

/** The trouble that most pods have, with its sentence; the worse one where two are as frequent. Undefined where all are ready. */
export function commonTrouble(found: readonly Pod[], view: ClusterView): Verdict | undefined {
  const troubles = found.flatMap((pod) => {
    const trouble = podTrouble(pod, view)
    return trouble === undefined ? [] : [{ pod, trouble }]
  })
  const groups = [...Map.groupBy(troubles, ({ trouble }) => trouble.cause).values()]
  const [worst] = groups.toSorted((a, b) => weight(b[0]!.trouble) - weight(a[0]!.trouble) || b.length - a.length)
  if (worst === undefined) return undefined
  const { pod, trouble } = worst[0]!
  const who = worst.length === 1 ? `pod ${pod.metadata.name}` : `${worst.length} pods`
  const make = trouble.health === "degraded" ? degraded : progressing
  return { ...make(trouble.text(who), trouble.advice), crashed: trouble.crashed }
}

function weight({ health }: Trouble): number {
  return health === "degraded" ? 1 : 0
}
