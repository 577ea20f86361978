import type { ClientHttp2Session } from "node:http2"
import type { Socket } from "node:net"

/** client-go gives a connection up after 30 s without a sign of life and 15 s without an answer to a ping. */
export const patience = 45_000

/** Milliseconds after which a silent HTTP/2 connection is tested and given up. */
export interface PingTimes {
  /** Between two HTTP/2 pings. */
  readonly ping: number
  /** How long an HTTP/2 connection may be silent before it is given up; several pings long. */
  readonly silence: number
}

/**
 * Pings, and ends a connection over which nothing comes any more. Pings bring an answer every few seconds even where nothing happens,
 * so silence means that the peer, or something between, has forgotten the connection; no error would ever say so.
 *
 * Real timers, and no Clock: a socket is never part of virtual time.
 */
export function endWhenDead(session: ClientHttp2Session, socket: Socket, { ping, silence }: PingTimes): void {
  let read = socket.bytesRead
  const pings = setInterval(() => !session.destroyed && session.ping(() => {}), ping).unref()
  const checks = setInterval(() => {
    if (socket.bytesRead === read)
      session.destroy(new Error(`nothing was received from the server for ${silence} ms, not even an answer to a ping`))
    read = socket.bytesRead
  }, silence).unref()
  session.once("close", () => {
    clearInterval(pings)
    clearInterval(checks)
  })
}
