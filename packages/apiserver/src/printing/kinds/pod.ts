import type { ContainerStateTerminated, ContainerStatus, Pod } from "@pilothouse/api/core/v1"
import { none, or } from "../columns/cells.ts"
import { age } from "../columns/human-duration.ts"
import type { Printer, RowCondition } from "../columns/printer.ts"

export const podPrinter: Printer<Pod> = {
  columns: [
    { name: "Name", type: "string", format: "name" },
    { name: "Ready", type: "string" },
    { name: "Status", type: "string" },
    { name: "Restarts", type: "string" },
    { name: "Age", type: "string" },
    { name: "IP", type: "string", wide: true },
    { name: "Node", type: "string", wide: true },
    { name: "Nominated Node", type: "string", wide: true },
    { name: "Readiness Gates", type: "string", wide: true },
  ],
  cells: (pod, now) => {
    const { ready, total, reason, restarts, lastRestart } = podSummary(pod)
    return [
      pod.metadata.name ?? "",
      `${ready}/${total}`,
      reason,
      restarts !== 0 && lastRestart !== undefined ? `${restarts} (${age(lastRestart, now)} ago)` : String(restarts),
      age(pod.metadata.creationTimestamp, now),
      or(pod.status?.podIPs?.[0]?.ip, none),
      or(pod.spec?.nodeName, none),
      or(pod.status?.nominatedNodeName, none),
      readinessGates(pod),
    ]
  },
  conditions: (pod) => completed[pod.status?.phase ?? ""],
}

const completed: Readonly<Record<string, readonly RowCondition[]>> = {
  Succeeded: [{ type: "Completed", status: "True", reason: "Succeeded", message: "The pod has completed successfully." }],
  Failed: [{ type: "Completed", status: "True", reason: "Failed", message: "The pod failed." }],
}

function readinessGates({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? []
  if (gates.length === 0) return none
  const isTrue = (type: string) => status?.conditions?.find((condition) => condition.type === type)?.status === "True"
  return `${gates.filter((gate) => isTrue(gate.conditionType)).length}/${gates.length}`
}

/** What one line says of a pod. */
interface PodSummary {
  readonly ready: number
  readonly total: number
  readonly reason: string
  readonly restarts: number
  /** When a container last ended and was started again. */
  readonly lastRestart: string | undefined
}

/** What the init containers say; `reason` is set while one of them holds the pod up. */
interface Initialization {
  readonly reason: string | undefined
  /** Sidecars (restartable init containers) that are ready. */
  readonly ready: number
  /** In their order, up to and with the one that holds the pod up. */
  readonly seen: readonly ContainerStatus[]
}

/** Upstream's rules, which people know by heart: the last container that has something to say gives the word. */
export function podSummary(pod: Pod): PodSummary {
  const sidecars = sidecarsOf(pod)
  const total = (pod.spec?.containers?.length ?? 0) + sidecars.size
  const init = initialization(pod, sidecars)
  if (init.reason !== undefined && !isInitialized(pod)) {
    return { ready: init.ready, total, reason: ended(pod) ?? init.reason, ...restartsOf(init.seen) }
  }
  const statuses = pod.status?.containerStatuses ?? []
  const ready = init.ready + statuses.filter(isCountedReady).length
  const counted = [...init.seen.filter(({ name }) => sidecars.has(name)), ...statuses]
  const reason = ended(pod) ?? containersReason(pod, init.reason ?? phaseReason(pod))
  return { ready, total, reason, ...restartsOf(counted) }
}

function sidecarsOf(pod: Pod): ReadonlySet<string> {
  const restartable = (pod.spec?.initContainers ?? []).filter((container) => container.restartPolicy === "Always")
  return new Set(restartable.map(({ name }) => name))
}

/** What the pod says of itself before its containers are asked. */
function phaseReason({ status }: Pod): string {
  const gated = status?.conditions?.some(({ type, reason }) => type === "PodScheduled" && reason === "SchedulingGated")
  if (gated) return "SchedulingGated"
  return status?.reason || status?.phase || ""
}

/** A pod that is being deleted says so, whatever its containers do. */
function ended({ metadata, status }: Pod): string | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined
  if (status?.reason === "NodeLost") return "Unknown"
  return status?.phase === "Succeeded" || status?.phase === "Failed" ? undefined : "Terminating"
}

/** Goes through init containers in their order up to the first that is not done. */
function initialization(pod: Pod, sidecars: ReadonlySet<string>): Initialization {
  const statuses = pod.status?.initContainerStatuses ?? []
  let ready = 0
  for (const [index, status] of statuses.entries()) {
    if (status.state?.terminated?.exitCode === 0) continue
    if (sidecars.has(status.name) && status.started) {
      if (status.ready) ready++
      continue
    }
    const reason = holdUp(status) ?? `Init:${index}/${pod.spec?.initContainers?.length ?? 0}`
    return { reason, ready, seen: statuses.slice(0, index + 1) }
  }
  return { reason: undefined, ready, seen: statuses }
}

function holdUp({ state }: ContainerStatus): string | undefined {
  if (state?.terminated) return `Init:${state.terminated.reason || exitText(state.terminated)}`
  const waiting = state?.waiting?.reason
  return waiting && waiting !== "PodInitializing" ? `Init:${waiting}` : undefined
}

/** The first container that waits or has ended gives the word; "Completed" only if all have. */
function containersReason(pod: Pod, before: string): string {
  const statuses = pod.status?.containerStatuses ?? []
  const words = statuses.map(({ state }) => state?.waiting?.reason || (state?.terminated && terminatedReason(state.terminated)))
  const reason = words.find((word) => word) ?? before
  if (reason !== "Completed") return reason
  const running = statuses.some(isCountedReady)
  if (running && isReady(pod)) return "Running"
  const failed = statuses.find(({ state }) => !state?.waiting?.reason && (state?.terminated?.exitCode ?? 0) !== 0)
  if (failed?.state?.terminated) return terminatedReason(failed.state.terminated)
  return running ? "NotReady" : reason
}

function terminatedReason(terminated: ContainerStateTerminated): string {
  return terminated.reason || exitText(terminated)
}

function exitText({ signal, exitCode }: ContainerStateTerminated): string {
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode}`
}

function isCountedReady({ ready, state }: ContainerStatus): boolean {
  return ready && state?.running !== undefined && !state.waiting?.reason && state.terminated === undefined
}

function restartsOf(statuses: readonly ContainerStatus[]): Pick<PodSummary, "restarts" | "lastRestart"> {
  const restarts = statuses.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0)
  const ends = statuses.map(({ lastState }) => lastState?.terminated?.finishedAt).filter((time) => time !== undefined)
  // RFC 3339 in UTC with whole seconds: the latest is also the last by its text.
  return { restarts, lastRestart: ends.sort().at(-1) }
}

function isReady(pod: Pod): boolean {
  return hasTrue(pod, "Ready")
}

function isInitialized(pod: Pod): boolean {
  return hasTrue(pod, "Initialized")
}

function hasTrue({ status }: Pod, type: string): boolean {
  return status?.conditions?.find((condition) => condition.type === type)?.status === "True"
}
