import {
  compareAmounts,
  findCondition,
  formatResources,
  isPodReady,
  lackingResources,
  matchesNodeSelector,
  parseResources,
  parseTime,
  podRequests,
  untoleratedTaint,
} from "@pilothouse/api"
import { type Node, nodes, type Pod, persistentVolumeClaims } from "@pilothouse/api/core/v1"
import { claimVerdict } from "./claims.ts"
import type { ClusterView } from "./cluster-view.ts"
import { containerStatusesOf, containerTrouble, crash } from "./container-trouble.ts"
import type { Trouble } from "./trouble.ts"
import { degraded, healthy, progressing, type Verdict } from "./verdict.ts"

const noNodes: Reason = ["the cluster has no nodes", "add a node"]

export function podVerdict(pod: Pod, view: ClusterView): Verdict {
  const trouble = podTrouble(pod, view)
  if (trouble !== undefined) {
    const { health, text, advice, crashed } = trouble
    return { health, summary: text("it"), advice, crashed }
  }
  if (pod.status?.phase === "Succeeded") return healthy("completed")
  return healthy(`ready on ${pod.spec?.nodeName}`)
}

/** Returns why a pod is not ready; undefined of one that is, or has completed. The first of the reasons in the order in which a pod starts. */
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

/** Says why no node takes a pod: the one reason that holds for every node, with its numbers, or else the scheduler's words. */
function unschedulable(pod: Pod, view: ClusterView): Trouble {
  const all = view.list(nodes)
  const found =
    unboundClaim(pod, view) ?? (all.length === 0 ? noNodes : (tooLarge(pod, all) ?? unmatched(pod, all) ?? untolerated(pod, all)))
  const said = findCondition(pod.status?.conditions, "PodScheduled")
  const [why, advice] = found ?? [said?.message ?? notSeen(pod)]
  const isNew = found === undefined && said === undefined
  return {
    cause: `unschedulable ${why}`,
    health: isNew ? "progressing" : "degraded",
    text: (who) => `no node takes ${who}: ${why}`,
    advice,
  }
}

type Reason = readonly [why: string, advice: string]

function notSeen({ spec }: Pod): string {
  const name = spec?.schedulerName ?? "default-scheduler"
  return name === "default-scheduler" ? "no scheduler has looked at it" : `the scheduler "${name}", which it asks for, has not looked at it`
}

function unboundClaim({ metadata, spec }: Pod, view: ClusterView): Reason | undefined {
  for (const { name, persistentVolumeClaim, ephemeral } of spec?.volumes ?? []) {
    const claimName = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${metadata.name}-${name}`)
    if (claimName === undefined) continue
    const claim = view.find(persistentVolumeClaims, claimName, metadata.namespace)
    if (claim === undefined) return [`its claim ${claimName} does not exist`, `create the PersistentVolumeClaim ${claimName}`]
    const { health, summary, advice } = claimVerdict(claim, view)
    if (health === "degraded") return [`its claim ${claimName} is ${summary}`, advice ?? `see "pilothouse explain pvc/${claimName}"`]
  }
  return undefined
}

/** A request that is more than the largest node has of it. */
function tooLarge(pod: Pod, all: readonly Node[]): Reason | undefined {
  const requests = podRequests(pod)
  const lacking = all.map(({ status }) => new Set(lackingResources(requests, parseResources(status?.allocatable))))
  const name = [...requests.keys()].find((one) => lacking.every((set) => set.has(one)))
  if (name === undefined) return undefined
  const amounts = all.flatMap(({ status }) => parseResources(status?.allocatable).get(name) ?? [])
  const largest = amounts.toSorted(compareAmounts).at(-1)
  const text = (amount: NonNullable<typeof largest>) => formatResources(new Map([[name, amount]]))[name]
  const has = largest === undefined ? "no node has any" : `the largest node has ${text(largest)}`
  return [`it requests ${name} ${text(requests.get(name)!)}, and ${has}`, `lower the request for ${name}, or add a larger node`]
}

/** A node selector or required affinity that no node meets. */
function unmatched({ spec }: Pod, all: readonly Node[]): Reason | undefined {
  for (const [key, value] of Object.entries(spec?.nodeSelector ?? {})) {
    if (all.some(({ metadata }) => metadata.labels?.[key] === value)) continue
    return [`its node selector ${key}=${value} matches no node`, `"kubectl label node NODE ${key}=${value}" makes one match`]
  }
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  if (required === undefined || required === null || all.some((node) => matchesNodeSelector(required, node))) return undefined
  return ["its required node affinity matches no node", "change the affinity, or the labels of a node"]
}

function untolerated({ spec }: Pod, all: readonly Node[]): Reason | undefined {
  const taints = all.map((node) => untoleratedTaint(node.spec?.taints, spec?.tolerations, { effects: ["NoSchedule", "NoExecute"] }))
  const [first] = taints
  if (first === undefined || taints.some((taint) => taint === undefined)) return undefined
  const text = `${first.key}${first.value ? `=${first.value}` : ""}:${first.effect}`
  return [`it tolerates the taints of no node, such as ${text}`, "add a toleration to the pod, or take the taint from a node"]
}
