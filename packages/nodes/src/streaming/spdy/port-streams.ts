import type { Duplex } from "node:stream"
import { type Clock, PilothouseError } from "@pilothouse/seams"
import { type ForwardedPod, forwardPort } from "../session/port-forward.ts"
import type { StreamSession } from "../session/sessions.ts"
import { SpdyConnection } from "./connection.ts"
import type { StreamHeaders } from "./header-block.ts"
import type { SpdyStream } from "./stream.ts"

/** Milliseconds in which both streams of a forwarded connection must have come. */
const pairTime = 30_000

interface PortConnection {
  readonly connection: Duplex
  readonly clock: Clock
  readonly session: StreamSession
  readonly pod: ForwardedPod
}

interface Pair {
  data?: SpdyStream
  error?: SpdyStream
  readonly timer: Disposable
}

/** Forwards ports over SPDY until the connection is over. The client opens two streams for each connection that it forwards. */
export async function servePortStreams({ connection, clock, session, pod }: PortConnection): Promise<void> {
  const pairs = new Map<string, Pair>()
  const open = (stream: SpdyStream) => {
    const id = requestOf(stream)
    const type = typeOf(stream.headers)
    const pair = pairs.get(id) ?? { timer: clock.timer(pairTime, "both streams of a forwarded connection come", () => late(id)) }
    pairs.set(id, pair)
    // A second one of the same kind is of no connection.
    if (pair[type] !== undefined) return void stream.destroy()
    pair[type] = stream
    const { data, error } = pair
    if (data === undefined || error === undefined) return
    pair.timer[Symbol.dispose]()
    pairs.delete(id)
    // The client says nothing there.
    error.resume()
    void forwardPort({ from: data, to: data, errors: error }, portOf(data.headers), pod)
  }
  const late = (id: string) => {
    const { data, error } = pairs.get(id) ?? {}
    pairs.delete(id)
    error?.end("timed out waiting for the second stream of a forwarded connection")
    data?.destroy()
  }
  await new SpdyConnection({ connection, check, open, session }).run()
  for (const { timer } of pairs.values()) timer[Symbol.dispose]()
}

/** In upstream's words, which only logs show: the stream is reset. */
function check(headers: StreamHeaders): void {
  portOf(headers)
  typeOf(headers)
}

function portOf(headers: StreamHeaders): number {
  const text = headers.get("port") ?? ""
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port >= 1 && port <= 0xffff) return port
  throw new PilothouseError("PROTOCOL", `expected a header port from 1 to 65535, found ${JSON.stringify(text)}`)
}

function typeOf(headers: StreamHeaders): "data" | "error" {
  const type = headers.get("streamtype") ?? ""
  if (type === "data" || type === "error") return type
  throw new PilothouseError("PROTOCOL", `invalid stream type ${JSON.stringify(type)}`)
}

/** Clients of before requests had ids open the error stream first, and the data stream right behind it. */
function requestOf({ headers, id }: SpdyStream): string {
  return headers.get("requestid") ?? `stream ${typeOf(headers) === "error" ? id : id - 2}`
}
