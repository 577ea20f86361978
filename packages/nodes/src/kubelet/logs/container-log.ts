import { parseTime } from "@pilothouse/api"
import type { Container, ContainerStatus, Pod } from "@pilothouse/api/core/v1"
import { behaviourOf } from "../behaviour/behaviour.ts"
import { courseOf } from "../behaviour/command.ts"

/** A line of a log and its time. */
export interface LogLine {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly text: string
}

/** What one run of a container has printed until now: worked out from its status and command, kept nowhere. */
export interface PrintedLog {
  /** Which run of its container it is of: no two have the same. */
  readonly run: string
  readonly lines: readonly LogLine[]
  /** How many older ones were forgotten. */
  readonly dropped?: number
  /** When its next line comes. */
  readonly next?: number
  /** Whether it can print no more. */
  readonly ended: boolean
}

interface Run {
  readonly id: string
  readonly start: number
  readonly end?: number
  readonly exitCode?: number
}

/** Returns the log of the current run, or of the last; with `previous` of the one before. Undefined: there is none. */
export function printedLog(pod: Pod, container: Container, status: ContainerStatus, now: number, previous = false): PrintedLog | undefined {
  const run = runOf(status, previous)
  if (run === undefined) return undefined
  const { prints } = behaviourOf(pod, container)
  // Of a command that is understood all output is known; others say at least that they live.
  const speaks = courseOf(container) === undefined
  const until = Math.min(run.end ?? now, now)
  const printed = prints.map(({ at, line }): LogLine => ({ at: run.start + at, text: line }))
  const start = { at: run.start, text: `${container.name} started (simulated: nothing of image ${container.image} runs)` }
  const end = run.end === undefined ? [] : [{ at: run.end, text: `${container.name} ended with exit code ${run.exitCode}` }]
  const next = printed.find(({ at }) => at > until)?.at
  return {
    run: run.id,
    lines: [...(speaks ? [start] : []), ...printed.filter(({ at }) => at <= until), ...(speaks ? end : [])],
    ended: run.end !== undefined,
    ...(next !== undefined && { next }),
  }
}

function runOf({ state, lastState, containerID = "" }: ContainerStatus, previous: boolean): Run | undefined {
  const running = previous ? undefined : state?.running?.startedAt
  if (running !== undefined) return { id: containerID, start: parseTime(running) }
  const ended = (previous ? undefined : state?.terminated) ?? lastState?.terminated
  if (ended?.finishedAt === undefined) return undefined
  const { startedAt, finishedAt, exitCode, containerID: id = "" } = ended
  return { id, start: parseTime(startedAt ?? finishedAt), end: parseTime(finishedAt), exitCode }
}

/** Upstream's sentences for a container of which there is no log. */
export function noLog(pod: Pod, container: string, status: ContainerStatus | undefined, previous: boolean): string {
  const which = `container "${container}" in pod "${pod.metadata.name}"`
  if (status === undefined) return `${which} is not available`
  if (previous) return `previous terminated ${which} not found`
  const reason = status.state?.waiting?.reason ?? ""
  if (status.state?.terminated !== undefined) return `${which} is terminated`
  if (reason === "ErrImagePull") return `${which} is waiting to start: image can't be pulled`
  if (reason === "ImagePullBackOff") return `${which} is waiting to start: trying and failing to pull image`
  return `${which} is waiting to start: ${reason}`
}
