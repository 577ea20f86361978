import { badRequest, timeout } from "@pilothouse/api"
import { abortable, type Clock, onAbort, queryValue, type Transport, type TransportRequest } from "@pilothouse/seams"
import { flag } from "../list-options.ts"
import { requestInfoOf } from "../request-info.ts"

/** Milliseconds; as upstream. Whoever writes is cut earlier, so that it can still be told. */
const readLimit = 60_000
const writeLimit = 34_000

/** What goes on for as long as its client wants. */
const longRunning: ReadonlySet<string> = new Set(["log", "exec", "attach", "portforward", "proxy"])
const mayBeLong = /%|\/(log|exec|attach|portforward|proxy|watch)(\/|$)/

/** Answers with 504 when a request takes longer than it asked for by `?timeout=`, or than any may take. Watches and streams have no such limit. */
export function withDeadline(transport: Transport, clock: Clock): Transport {
  return async (request) => {
    if (isLongRunning(request)) return transport(request)
    const stopping = new AbortController()
    let over = false
    using _timer = clock.timer(limitOf(request), "the time limit of a request", () => {
      over = true
      stopping.abort()
    })
    const client = onAbort(request.signal, () => stopping.abort())
    let goesOn = false
    try {
      const answer = await abortable(transport({ ...request, signal: stopping.signal }), stopping.signal)
      // A stream goes on after its answer has begun: its client can still leave.
      goesOn = answer.body.type === "stream"
      return answer
    } catch (error) {
      throw over ? timeout("request did not complete within requested timeout - context deadline exceeded") : error
    } finally {
      if (!goesOn) client[Symbol.dispose]()
    }
  }
}

function isLongRunning({ path, query }: TransportRequest): boolean {
  // Most paths have none of these words, and need not be taken apart. One with escapes may hide them.
  if (query.watch === undefined && !mayBeLong.test(path)) return false
  const info = requestInfoOf(path)
  if (info?.plural === undefined) return false
  return longRunning.has(info.subresource ?? "") || info.watch || (info.subresource === undefined && flag(query, "watch") === true)
}

function limitOf({ verb, query }: TransportRequest): number {
  const most = verb === "GET" ? readLimit : writeLimit
  const text = queryValue(query, "timeout") ?? ""
  if (text === "") return most
  const asked = goDuration(text)
  // 0 says: no limit but yours.
  return asked <= 0 ? most : Math.min(asked, most)
}

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 1e-3, µs: 1e-3, ns: 1e-6 }

/** In milliseconds: "1m30s", "500ms". */
function goDuration(text: string): number {
  if (text === "0") return 0
  const parts = [...text.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|h|m|s)/g)]
  const read = parts.map(([part]) => part).join("")
  if (parts.length === 0 || text.replace(/^[+-]/, "") !== read)
    throw badRequest(`invalid timeout specified in the request URL - ${durationFault(text)}`)
  const sum = parts.reduce((total, [, count, unit]) => total + Number(count) * units[unit!]!, 0)
  return text.startsWith("-") ? -sum : sum
}

/** In the words of Go's time package. */
function durationFault(text: string): string {
  if (/^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(text)) return `time: missing unit in duration ${JSON.stringify(text)}`
  return `time: invalid duration ${JSON.stringify(text)}`
}
