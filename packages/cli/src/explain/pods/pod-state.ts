import { findCondition, isNotFound, parseTime } from "@pilothouse/api"
import { type ContainerStatus, nodes, type Pod } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { milliseconds } from "@pilothouse/seams"
import { remaining, shortDuration } from "../durations.ts"
import { lastSeen, orderedEvents } from "../events.ts"
import type { ExplainContext } from "../explain-context.ts"
import { unboundClaims } from "./volume-claims.ts"

export interface PodLinesOptions {
  /** Leaves out why no node takes it where a condition says so. */
  readonly areConditionsShown?: boolean
}

/** Returns the node of a pod, and what each of its containers does or waits for. */
export async function podLines(client: Client, pod: Pod, asked: ExplainContext, options: PodLinesOptions = {}): Promise<readonly string[]> {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {}
  const complaints = await probeComplaints(client, pod)
  const all = [...(initContainerStatuses ?? []), ...(containerStatuses ?? [])]
  const containers = all.map((status) => containerLine(status, asked.now, complaints.get(status.name)))
  return [...(await placeLines(client, pod, asked, options)), ...containers]
}

async function placeLines(
  client: Client,
  pod: Pod,
  asked: ExplainContext,
  { areConditionsShown = false }: PodLinesOptions,
): Promise<readonly string[]> {
  const { spec, status } = pod
  const gates = (spec?.schedulingGates ?? []).map(({ name }) => name)
  if (gates.length > 0) return [`on no node: it is not scheduled before its scheduling gates are taken away (${gates.join(", ")})`]
  if (spec?.nodeName) return nodeTrouble(client, spec.nodeName, pod)
  const message = findCondition(status?.conditions, "PodScheduled")?.message
  const why = message !== undefined && areConditionsShown ? [] : [`on no node: ${message ?? unscheduled(pod, asked)}`]
  return [...why, ...(await unboundClaims(client, pod, asked))]
}

/** A pod that asks for a scheduler of its own waits for that one alone. */
function unscheduled({ spec }: Pod, { controllers }: ExplainContext): string {
  const scheduler = spec?.schedulerName ?? "default-scheduler"
  if (scheduler === "default-scheduler") return "no scheduler has looked at it"
  const isAbsent = controllers !== undefined && !controllers.includes(scheduler)
  return `it asks for the scheduler "${scheduler}", which ${isAbsent ? "does not run here" : "has not looked at it"}`
}

/** Nothing where all is well. */
async function nodeTrouble(client: Client, name: string, { metadata }: Pod): Promise<readonly string[]> {
  try {
    const node = await client.get(nodes, name)
    const ready = findCondition(node.status?.conditions, "Ready")
    if (ready?.status === "True") return []
    const state = `its node ${name} is not ready (${ready?.message ?? "it has said nothing yet"}): what follows is what was last reported`
    const stays = `it stays until the kubelet of ${name} reports that it has ended, or the node is deleted`
    return metadata.deletionTimestamp ? [state, stays] : [state]
  } catch (error) {
    if (isNotFound(error)) return [`its node ${name} does not exist`]
    throw error
  }
}

/** `complaint` is what its probes say, where they do. */
function containerLine({ name, state, lastState, ready, restartCount }: ContainerStatus, now: number, complaint?: string): string {
  const restarts = restartText(restartCount)
  const before = lastState?.terminated ? `; before that it ${ended(lastState.terminated, now)}` : ""
  if (state?.waiting) return `${name} waits: ${waitsFor(state.waiting, lastState?.terminated?.finishedAt, now)}${restarts}${before}`
  if (state?.terminated) return `${name} ${ended(state.terminated, now)}${restarts}`
  if (!state?.running) return `${name} has not been reported`
  const since = state.running.startedAt ? ` for ${shortDuration(now - parseTime(state.running.startedAt))}` : ""
  const unready = `, but is not ready${complaint === undefined ? "" : ` (${complaint})`}`
  return `${name} runs${since}${ready ? "" : unready}${restarts}${before}`
}

function restartText(count = 0): string {
  if (count === 0) return ""
  return count === 1 ? ", restarted once" : `, restarted ${count} times`
}

/** Of a container that failed the kubelet says how long it waits from its end on; of interest is how long it is from now. */
function waitsFor(waiting: { readonly reason?: string; readonly message?: string }, finishedAt: string | undefined, now: number): string {
  // prose: the status has the delay in the kubelet's text only.
  const [, wait] = waiting.message?.match(/^back-off (\S+) restarting failed container/) ?? []
  if (wait === undefined || !finishedAt) return reasonAnd(waiting)
  const left = parseTime(finishedAt) + milliseconds(wait) - now
  return `${waiting.reason}, and starts again ${left < 500 ? "any moment" : `in ${remaining(left)}`}`
}

function ended(
  { exitCode, reason, message, finishedAt }: NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>,
  now: number,
): string {
  const when = finishedAt ? ` ${shortDuration(now - parseTime(finishedAt))} ago` : ""
  return `ended${when} with exit code ${exitCode}${reason || message ? ` (${reasonAnd({ reason, message })})` : ""}`
}

function reasonAnd({ reason, message }: { readonly reason?: string; readonly message?: string }): string {
  return [reason, message].filter((text) => text !== undefined && text !== "").join(": ")
}

/** What the probes of containers last complained of, by the container's name: of those that run and are not ready. */
async function probeComplaints(client: Client, pod: Pod): Promise<ReadonlyMap<string, string>> {
  const unready = (pod.status?.containerStatuses ?? []).filter(({ state, ready }) => state?.running && !ready)
  if (unready.length === 0 || pod.metadata.uid === undefined) return new Map()
  const events = await orderedEvents(client, pod, "reason=Unhealthy")
  return new Map(
    unready.flatMap((status): readonly [string, string][] => {
      const last = events.findLast((event) => isOf(event.involvedObject.fieldPath, status) && lastSeen(event) >= startOf(status))
      const message = last?.message?.trim().split("\n")[0] ?? ""
      return message === "" ? [] : [[status.name, message]]
    }),
  )
}

/** "spec.containers{web}"; an event without it concerns the pod. */
function isOf(fieldPath: string | undefined, { name }: ContainerStatus): boolean {
  return !fieldPath || fieldPath.endsWith(`{${name}}`)
}

/** What was said of the run before is over. Times of events may be whole seconds, as this one is. */
function startOf({ state }: ContainerStatus): number {
  return state?.running?.startedAt ? parseTime(state.running.startedAt) : 0
}
