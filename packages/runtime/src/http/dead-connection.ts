import type { Socket } from "node:net"

/** client-go gives a connection up after 30 s without a sign of life and 15 s without an answer to a ping. */
export const patience = 45_000

/**
 * Ends a connection over which nothing comes any more. HTTP/2 pings bring an answer every few seconds even where nothing happens,
 * so silence means that the peer, or something between, has forgotten the connection; no error would ever say so.
 * undici sends the pings, and does not look whether they are answered (8.12).
 *
 * Real timers, and no Clock: a socket is never part of virtual time.
 */
export function endWhenDead(socket: Socket, silence: number): void {
  let read = socket.bytesRead
  const timer = setInterval(() => {
    if (socket.bytesRead === read)
      socket.destroy(new Error(`nothing was heard from the server for ${silence} ms, not even an answer to a ping`))
    read = socket.bytesRead
  }, silence)
  timer.unref()
  socket.once("close", () => clearInterval(timer))
}
