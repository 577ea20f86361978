import { badRequest, formatTime, notFound, parseTime } from "@pilothouse/api"
import { type Container, type ContainerStatus, type Pod, pods } from "@pilothouse/api/core/v1"
import { type Clock, type Frame, type Query, queryValue, type TransportRequest, type TransportResponse } from "@pilothouse/seams"
import { type LogLine, noLog, type PrintedLog, printedLog } from "./container-log.ts"

/** A request for the log of a container. */
export interface LogQuestion {
  readonly namespace: string
  readonly name: string
  readonly container: string
}

/** Where the logs of containers come from. */
export interface ContainerLogsOptions {
  readonly clock: Clock
  /** The pod as it is now; undefined: it is gone. */
  readonly podOf: (namespace: string, name: string) => Promise<Pod | undefined>
  /** What real containers have printed; simulated ones are asked nothing. */
  readonly printed?: (pod: Pod, container: string, previous: boolean) => PrintedLog | undefined
}

/** Milliseconds between two reads of a client that follows. */
const followInterval = 1000

/** Answers what a container has printed, and goes on with what it prints where that is asked for. */
export async function containerLogs(
  { namespace, name, container }: LogQuestion,
  request: TransportRequest,
  options: ContainerLogsOptions,
): Promise<TransportResponse> {
  const asked = logOptionsOf(request.query, options.clock.now())
  const podNow = () => options.podOf(namespace, name)
  const pod = await podNow()
  if (pod === undefined) throw notFound(pods, name)
  const log = logOf(pod, container, asked.previous, options)
  if (log === undefined) throw badRequest(noLog(pod, container, statusIn(pod, container), asked.previous))
  const budget = new Budget(asked.limitBytes)
  const bytes = budget.spend(logText(chosenLines(log.lines, asked), asked))
  const headers = { "content-type": "text/plain" }
  if (!asked.follow || log.ended || budget.isSpent) {
    return { status: 200, headers, body: { type: "bytes", bytes, contentType: "text/plain" } }
  }
  const more = async () => {
    const now = await podNow()
    return now && restOf(now, container, log.run, options)
  }
  return { status: 200, headers, body: { type: "stream", frames: follow(bytes, total(log), asked, { ...options, more, request, budget }) } }
}

/** The log of the run that is followed. Once its container was started again it is that of the run before, and has come to its end. */
function restOf(pod: Pod, container: string, run: string, options: ContainerLogsOptions): PrintedLog | undefined {
  const now = logOf(pod, container, false, options)
  if (now?.run === run) return now
  const before = logOf(pod, container, true, options)
  return before?.run === run ? { ...before, ended: true } : undefined
}

interface Following extends Pick<ContainerLogsOptions, "clock"> {
  readonly request: TransportRequest
  readonly budget: Budget
  more(): Promise<PrintedLog | undefined>
}

async function* follow(
  first: Uint8Array,
  seen: number,
  asked: LogOptions,
  { clock, more, request, budget }: Following,
): AsyncGenerator<Frame> {
  if (first.length > 0) yield { type: "bytes", bytes: first }
  let sent = seen
  while (!budget.isSpent) {
    try {
      await clock.sleep(followInterval, { signal: request.signal, name: "follow a log" })
    } catch (error) {
      if (request.signal?.aborted) return
      throw error
    }
    const log = await more()
    if (log === undefined) return
    const news = log.lines.slice(Math.max(sent - (log.dropped ?? 0), 0))
    sent = total(log)
    if (news.length > 0) yield { type: "bytes", bytes: budget.spend(logText(news, asked)) }
    if (log.ended) return
  }
}

/** How many bytes may still be said: `limitBytes` is for all of an answer, however long it takes. */
class Budget {
  #left: number

  constructor(limitBytes = Number.POSITIVE_INFINITY) {
    this.#left = limitBytes
  }

  get isSpent(): boolean {
    return this.#left <= 0
  }

  spend(text: string): Uint8Array {
    const bytes = Buffer.from(text).subarray(0, this.#left)
    this.#left -= bytes.length
    return bytes
  }
}

function total({ lines, dropped = 0 }: PrintedLog): number {
  return lines.length + dropped
}

function logOf(pod: Pod, name: string, previous: boolean, { clock, printed }: ContainerLogsOptions): PrintedLog | undefined {
  const container = containerIn(pod, name)
  const status = statusIn(pod, name)
  if (container === undefined || status === undefined) return undefined
  return printed?.(pod, name, previous) ?? printedLog(pod, container, status, clock.now(), previous)
}

function containerIn({ spec }: Pod, named: string): Container | undefined {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec ?? {}
  return [...containers, ...initContainers, ...(ephemeralContainers as readonly Container[])].find(({ name }) => name === named)
}

function statusIn({ status }: Pod, named: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status ?? {}
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(({ name }) => name === named)
}

/** What of a log is wanted, as kubectl asks for it; the API server has checked the numbers. */
interface LogOptions {
  readonly follow: boolean
  readonly previous: boolean
  readonly timestamps: boolean
  readonly tailLines?: number
  /** Milliseconds since 1970. */
  readonly since?: number
  readonly limitBytes?: number
}

/** Parses the query of a request for a log. */
export function logOptionsOf(query: Query, now: number): LogOptions {
  const flag = (name: string) => /^(true|1)$/i.test(queryValue(query, name) ?? "")
  const count = (name: string) => {
    const text = queryValue(query, name)
    return text === undefined ? undefined : Number(text)
  }
  const seconds = count("sinceSeconds")
  const time = queryValue(query, "sinceTime")
  return {
    follow: flag("follow"),
    previous: flag("previous"),
    timestamps: flag("timestamps"),
    tailLines: count("tailLines"),
    since: seconds === undefined ? (time && parseTime(time)) || undefined : now - seconds * 1000,
    limitBytes: count("limitBytes"),
  }
}

/** The lines that were there when the question came. */
export function chosenLines(lines: readonly LogLine[], { tailLines, since }: LogOptions): readonly LogLine[] {
  const recent = since === undefined ? lines : lines.filter(({ at }) => at >= since)
  if (tailLines === undefined) return recent
  return tailLines === 0 ? [] : recent.slice(-tailLines)
}

/** Returns the lines as text, with their times where requested. */
export function logText(lines: readonly LogLine[], { timestamps }: Pick<LogOptions, "timestamps">): string {
  return lines.map(({ at, text }) => `${timestamps ? `${nanoTime(at)} ` : ""}${text}\n`).join("")
}

/** As container runtimes write it: 2026-01-05T09:00:00.250000000Z */
function nanoTime(at: number): string {
  const fraction = String(Math.floor(at % 1000)).padStart(3, "0")
  return `${formatTime(at).replace(/Z$/, "")}.${fraction}000000Z`
}
