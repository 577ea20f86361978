import { findCondition, formatTime, isSidecar } from "@pilothouse/api"
import type { ContainerStatus, Pod, PodCondition, PodStatus } from "@pilothouse/api/core/v1"
import type { Place } from "../container/pod-step.ts"
import { hasDoneItsPart } from "../container/step-containers.ts"

/** The phase of a pod and the statuses of its containers. */
export interface PodCourse {
  readonly phase: NonNullable<PodStatus["phase"]>
  readonly init: readonly ContainerStatus[]
  readonly main: readonly ContainerStatus[]
  readonly ephemeral?: readonly ContainerStatus[]
  readonly startTime: string
}

/** Returns the status that a kubelet reports of a pod. */
export function podStatus(
  pod: Pod,
  { hostIP, podIP }: Place,
  { phase, init, main, ephemeral = [], startTime }: PodCourse,
  now: number,
): PodStatus {
  const { status, metadata } = pod
  return {
    ...status,
    phase,
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
    startTime,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(podIP !== undefined && { podIP, podIPs: [{ ip: podIP }] }),
    conditions: podConditions(pod, { phase, init, main, hasAddress: podIP !== undefined }, now),
    ...(init.length > 0 && { initContainerStatuses: init }),
    containerStatuses: main,
    ...(ephemeral.length > 0 && { ephemeralContainerStatuses: ephemeral }),
  }
}

/** What the conditions of a pod depend on. */
interface Facts {
  readonly phase: NonNullable<PodStatus["phase"]>
  readonly init: readonly ContainerStatus[]
  readonly main: readonly ContainerStatus[]
  readonly hasAddress: boolean
}

type Verdict = Pick<PodCondition, "status" | "reason" | "message">

const yes: Verdict = { status: "True" }

/** The conditions that belong to the kubelet, each with the time at which it last changed. */
function podConditions(pod: Pod, facts: Facts, now: number): readonly PodCondition[] {
  const containersReady = areContainersReady(pod, facts)
  const verdicts: readonly [string, Verdict][] = [
    ["PodReadyToStartContainers", { status: facts.hasAddress && !isFinished(facts) ? "True" : "False" }],
    ["Initialized", isInitialized(pod, facts)],
    ["Ready", isReady(pod, facts, containersReady)],
    ["ContainersReady", containersReady],
  ]
  return verdicts.map(([type, verdict]) => {
    const old = findCondition(pod.status?.conditions, type)
    const lastTransitionTime = old?.status === verdict.status ? old.lastTransitionTime : formatTime(now)
    return { type, ...verdict, ...(pod.metadata.generation && { observedGeneration: pod.metadata.generation }), lastTransitionTime }
  })
}

function isFinished({ phase }: Facts): boolean {
  return phase === "Succeeded" || phase === "Failed"
}

function isInitialized({ spec }: Pod, { phase, init }: Facts): Verdict {
  if (phase === "Succeeded") return { status: "True", reason: "PodCompleted" }
  const waiting = (spec?.initContainers ?? []).filter((container, at) => init[at] === undefined || !hasDoneItsPart(container, init[at]))
  return waiting.length === 0 ? yes : no("ContainersNotInitialized", `containers with incomplete status: ${listed(waiting)}`)
}

function areContainersReady({ spec }: Pod, { phase, init, main }: Facts): Verdict {
  if (phase === "Succeeded") return { status: "False", reason: "PodCompleted" }
  if (phase === "Failed") return { status: "False", reason: "PodFailed" }
  const sidecars = init.filter(({ name }) => spec?.initContainers?.some((container) => container.name === name && isSidecar(container)))
  const unready = [...sidecars, ...main].filter(({ ready }) => !ready)
  return unready.length === 0 ? yes : no("ContainersNotReady", `containers with unready status: ${listed(unready)}`)
}

/** Gates are opened by others: a kubelet only looks whether they are. */
function isReady({ spec, status }: Pod, facts: Facts, containersReady: Verdict): Verdict {
  if (containersReady.status !== "True" || isFinished(facts)) return containersReady
  const closed = (spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = findCondition(status?.conditions, conditionType)
    if (gate === undefined) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`]
    return gate.status === "True" ? [] : [`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`]
  })
  return closed.length === 0 ? yes : no("ReadinessGatesNotReady", closed.join(", "))
}

function no(reason: string, message: string): Verdict {
  return { status: "False", reason, message }
}

function listed(containers: readonly { readonly name: string }[]): string {
  return `[${containers.map(({ name }) => name).join(" ")}]`
}
