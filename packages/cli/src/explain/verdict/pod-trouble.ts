import { findCondition, isPodReady, parseTime, secondsInMilliseconds } from "@pilothouse/api"
import { type ContainerStatus, nodes, type Pod } from "@pilothouse/api/core/v1"
import { shortDuration } from "../durations.ts"
import type { ClusterView } from "./cluster-view.ts"
import { unschedulable } from "./unschedulable.ts"
import { type ContainerPlace, degraded, type Health, healthy, progressing, type Verdict } from "./verdict.ts"

/** What keeps a pod from being ready. */
export interface Trouble {
  /** Pods with the same one are counted together: without names and times of one pod. */
  readonly cause: string
  readonly health: Extract<Health, "progressing" | "degraded" | "suspended">
  /** The sentence, about "it", "pod web-1" or "3 pods". */
  readonly text: (who: string) => string
  readonly advice?: string
  readonly crashed?: ContainerPlace
}

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
  const ended = statusesOf(pod).find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0)
  if (reason || ended === undefined) {
    const why = [reason, message].filter((text) => text !== undefined && text !== "").join(": ") || "no reason was reported"
    return { cause: `failed ${reason}`, health: "degraded", text: (who) => `${who} failed: ${why}` }
  }
  return crash(pod, ended, ended.state!.terminated!, "")
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

function statusesOf({ status }: Pod): readonly ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
}

/** Of the first container that waits or has ended: the ones behind it wait for it. */
function containersTrouble(pod: Pod, view: ClusterView): Trouble | undefined {
  for (const status of statusesOf(pod)) {
    const trouble = containerTrouble(pod, status, view)
    if (trouble !== undefined) return trouble
  }
  return undefined
}

/** Reasons of a waiting container that pass by themselves. */
const starting: ReadonlySet<string> = new Set(["", "ContainerCreating", "PodInitializing"])
const pulling: ReadonlySet<string> = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "ImageInspectError",
])

function containerTrouble(pod: Pod, status: ContainerStatus, view: ClusterView): Trouble | undefined {
  const { name, image, state, lastState, restartCount = 0 } = status
  const { reason = "", message = "" } = state?.waiting ?? {}
  const restarts = restartCount === 0 ? "" : `, restarted ${restartCount === 1 ? "once" : `${restartCount} times`}`
  if (state?.waiting === undefined) {
    if ((state?.terminated?.exitCode ?? 0) !== 0) return crash(pod, status, state!.terminated!, restarts)
    return state?.running && !status.ready ? unreadyContainer(pod, status, view, restarts) : undefined
  }
  if (pulling.has(reason)) {
    const text = (who: string) => `image ${image} of container ${of(name, who)} cannot be pulled (${reason})`
    return { cause: `image ${image}`, health: "degraded", text, advice: "correct the image, or give the pod a secret of its registry" }
  }
  if (reason === "CrashLoopBackOff" && lastState?.terminated) return crash(pod, status, lastState.terminated, restarts)
  if (!starting.has(reason)) {
    const text = (who: string) => `container ${of(name, who)} cannot be started: ${message === "" ? reason : message}`
    return { cause: `waiting ${name} ${reason} ${message}`, health: "degraded", text }
  }
  const blocked = view.warning(pod, "FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox")
  if (blocked === undefined) return startingTrouble(name)
  return { cause: `blocked ${blocked.message}`, health: "degraded", text: (who) => `${who} cannot be started: ${blocked.message}` }
}

function startingTrouble(name: string): Trouble {
  return { cause: "starting", health: "progressing", text: (who) => `container ${of(name, who)} is starting` }
}

type Terminated = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>

function crash(pod: Pod, { name }: ContainerStatus, { exitCode, reason, message }: Terminated, restarts: string): Trouble {
  const { name: podName = "", namespace = "" } = pod.metadata
  const isOnly = statusesOf(pod).length === 1
  const command = `pilothouse logs ${podName}${restarts === "" ? "" : " -p"}${isOnly ? "" : ` -c ${name}`}`
  const how = reason === "OOMKilled" ? `is killed for want of memory${limitText(pod, name)}` : `exits with code ${exitCode}`
  const told = message === undefined || message === "" ? "" : ` (${message.trim().split("\n").at(-1)})`
  return {
    cause: `crash ${name} ${reason} ${exitCode}`,
    health: "degraded",
    text: (who) => `container ${of(name, who)} ${how}${told}${restarts}`,
    advice: reason === "OOMKilled" ? "raise the memory limit of the container" : `"${command}" shows what it printed`,
    crashed: { namespace, pod: podName, container: name },
  }
}

function limitText({ spec }: Pod, container: string): string {
  const limit = spec?.containers.find(({ name }) => name === container)?.resources?.limits?.memory
  return limit === undefined ? "" : `, its limit is ${limit}`
}

/** Milliseconds for which a container that runs is taken for one that becomes ready by itself. */
const usualStart = 30_000

function unreadyContainer(pod: Pod, { name, state }: ContainerStatus, view: ClusterView, restarts: string): Trouble | undefined {
  const spec = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].find((one) => one.name === name)
  const isInit = (pod.status?.initContainerStatuses ?? []).some((one) => one.name === name)
  if (isInit && spec?.restartPolicy !== "Always")
    return { cause: `init ${name}`, health: "progressing", text: (who) => `init container ${of(name, who)} is running` }
  const since = state?.running?.startedAt ? parseTime(state.running.startedAt) : view.now
  const complaint = view.warning(pod, "Unhealthy")?.message?.trim().split("\n")[0]
  const age = view.now - since
  const delay = secondsInMilliseconds(spec?.readinessProbe?.initialDelaySeconds ?? 0)
  if (complaint === undefined && age < usualStart + delay)
    return {
      cause: `young ${name}`,
      health: "progressing",
      text: (who) => `container ${of(name, who)} runs for ${shortDuration(age)} and is not ready yet`,
    }
  const why = complaint === undefined ? "" : `: ${complaint}`
  return {
    cause: `unready ${name}`,
    health: "degraded",
    text: (who) => `container ${of(name, who)} runs and is not ready${restarts}${why}`,
  }
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

function of(container: string, who: string): string {
  return who === "it" ? container : `${container} of ${who}`
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
