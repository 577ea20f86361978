import { badRequest, type StatusError, timeout } from "@pilothouse/api"
import {
  abortable,
  type Clock,
  durationParts,
  queryValue,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "@pilothouse/seams"
import { flag } from "../../request/list-options.ts"
import { requestInfoOf } from "../../request/request-info.ts"
import { TimeLimit } from "../exchange/time-limit.ts"

/** Milliseconds; as upstream. A write ends earlier, so that its client still gets an answer. */
const readLimit = 60_000
const writeLimit = 34_000
const name = "the time limit of a request"

/** Requests that go on until their client ends them. */
const longRunning: ReadonlySet<string> = new Set(["log", "exec", "attach", "portforward", "proxy"])
const mayBeLong = /%|\/(log|exec|attach|portforward|proxy|watch)(\/|$)/

/** The limits of all requests of a server. */
export class Deadlines implements Disposable {
  readonly #clock: Clock
  readonly #shared: ReadonlyMap<number, TimeLimit>

  constructor(clock: Clock) {
    this.#clock = clock
    this.#shared = new Map([readLimit, writeLimit].map((limit) => [limit, new TimeLimit(clock, name, limit)]))
  }

  /** Most requests have one of two limits; one that asked for another has a timer of its own. */
  start(milliseconds: number, over: () => void): Disposable {
    return this.#shared.get(milliseconds)?.start(over) ?? this.#clock.timer(milliseconds, name, over)
  }

  [Symbol.dispose](): void {
    for (const limit of this.#shared.values()) limit[Symbol.dispose]()
  }
}

/**
 * Answers with 504 when a request takes longer than it asked for by `?timeout=`, or than any may take. Watches and streams have no such limit.
 * The controller is of the request's signal: it ends what is under way then.
 */
export async function answerInTime(
  transport: Transport,
  request: TransportRequest,
  deadlines: Deadlines,
  controller: AbortController,
): Promise<TransportResponse> {
  if (isLongRunning(request)) return transport(request)
  let late: StatusError | undefined
  using _ = deadlines.start(limitOf(request), () => {
    late = timeout("request did not complete within requested timeout - context deadline exceeded")
    controller.abort(late)
  })
  try {
    return await abortable(transport(request), controller.signal)
  } catch (error) {
    throw late ?? error
  }
}

/** Whether a request may go on for as long as its client reads: a watch (only GET is one), a log that is followed, a proxied connection. */
export function isLongRunning({ verb, path, query }: Pick<TransportRequest, "verb" | "path" | "query">): boolean {
  // Most paths have none of these words, and need not be taken apart. One with escapes may hide them.
  if (query.watch === undefined && !mayBeLong.test(path)) return false
  const info = requestInfoOf(path)
  if (info?.plural === undefined) return false
  if (longRunning.has(info.subresource ?? "")) return true
  return verb === "GET" && (info.watch || (info.subresource === undefined && flag(query, "watch") === true))
}

function limitOf({ verb, query }: TransportRequest): number {
  const max = verb === "GET" ? readLimit : writeLimit
  const text = queryValue(query, "timeout") ?? ""
  if (text === "") return max
  const asked = goDuration(text)
  // 0 says: no limit but yours.
  return asked <= 0 ? max : Math.min(asked, max)
}

/** In milliseconds: "1m30s", "500ms". */
function goDuration(text: string): number {
  const unsigned = text.replace(/^[+-]/, "")
  if (unsigned === "0") return 0
  const parts = durationParts(unsigned)
  if (parts === undefined) throw badRequest(`invalid timeout specified in the request URL - ${durationFault(text)}`)
  const sum = parts.reduce((total, part) => total + part.milliseconds, 0)
  return text.startsWith("-") ? -sum : sum
}

/** In the words of Go's time package. */
function durationFault(text: string): string {
  if (/^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(text)) return `time: missing unit in duration ${JSON.stringify(text)}`
  return `time: invalid duration ${JSON.stringify(text)}`
}
