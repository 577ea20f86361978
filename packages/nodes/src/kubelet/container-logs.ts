import { badRequest, notFound } from "@pilothouse/api"
import { type Container, type ContainerStatus, type Pod, pods } from "@pilothouse/api/core/v1"
import { type Clock, type Frame, type TransportRequest, type TransportResponse } from "@pilothouse/seams"
import { noLog, type PrintedLog, printedLog } from "./container-log.ts"
import { chosenLines, type LogOptions, logOptionsOf, logText } from "./log-options.ts"

export interface LogQuestion {
  readonly namespace: string
  readonly name: string
  readonly container: string
}

export interface ContainerLogsOptions {
  readonly clock: Clock
  /** The pod as it is now; undefined: it is gone. */
  readonly podOf: (namespace: string, name: string) => Promise<Pod | undefined>
  /** What real containers have printed; simulated ones are asked nothing. */
  readonly printed?: (pod: Pod, container: string, previous: boolean) => PrintedLog | undefined
}

/** Milliseconds between two looks of somebody who follows. */
const lookEvery = 1000

/** Answers what a container has printed, and goes on with what it prints where that is asked for. */
export async function containerLogs(
  { namespace, name, container }: LogQuestion,
  request: TransportRequest,
  options: ContainerLogsOptions,
): Promise<TransportResponse> {
  const asked = logOptionsOf(request.query, options.clock.now())
  const read = async () => {
    const pod = await options.podOf(namespace, name)
    return pod && { pod, log: logOf(pod, container, asked, options) }
  }
  const first = await read()
  if (first === undefined) throw notFound(pods, name)
  if (first.log === undefined) throw badRequest(noLog(first.pod, container, statusIn(first.pod, container), asked.previous))
  const text = cut(logText(chosenLines(first.log.lines, asked), asked), asked)
  const headers = { "content-type": "text/plain" }
  if (!asked.follow || first.log.ended) {
    return { status: 200, headers, body: { type: "bytes", bytes: Buffer.from(text), contentType: "text/plain" } }
  }
  const more = async () => (await read())?.log
  return {
    status: 200,
    headers,
    body: { type: "stream", frames: follow(text, total(first.log), asked, { ...options, more, request }) },
  }
}

interface Following extends Pick<ContainerLogsOptions, "clock"> {
  readonly request: TransportRequest
  more(): Promise<PrintedLog | undefined>
}

async function* follow(text: string, seen: number, asked: LogOptions, { clock, more, request }: Following): AsyncGenerator<Frame> {
  if (text !== "") yield frame(text)
  let told = seen
  for (;;) {
    try {
      await clock.sleep(lookEvery, { signal: request.signal, name: "somebody follows a log" })
    } catch (error) {
      if (request.signal?.aborted) return
      throw error
    }
    const log = await more()
    if (log === undefined) return
    const news = log.lines.slice(Math.max(told - (log.dropped ?? 0), 0))
    told = total(log)
    if (news.length > 0) yield frame(logText(news, asked))
    if (log.ended) return
  }
}

function total({ lines, dropped = 0 }: PrintedLog): number {
  return lines.length + dropped
}

function logOf(pod: Pod, name: string, { previous }: LogOptions, { clock, printed }: ContainerLogsOptions): PrintedLog | undefined {
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

function cut(text: string, { limitBytes }: LogOptions): string {
  return limitBytes === undefined ? text : Buffer.from(text).subarray(0, limitBytes).toString()
}

function frame(text: string): Frame {
  return { type: "bytes", bytes: Buffer.from(text) }
}
