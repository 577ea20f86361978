import type { Readable, Writable } from "node:stream"

/**
 * Writes all that waits in one piece, and what has come meanwhile when that is taken: a pipe would keep each small piece of a client by itself in the writer.
 * Ends the writer with the reader, where that is wanted. Returns how to stop it.
 */
export function passOn(from: Readable, to: Writable, { end = true } = {}): () => void {
  let [isWriting, isOver] = [false, false]
  const next = () => {
    if (isWriting || isOver) return
    const piece: Buffer | null = from.read()
    if (piece === null) return
    isWriting = true
    to.write(piece, (error) => {
      isWriting = false
      if (error) stop()
      else next()
    })
  }
  const ended = () => void (end && to.end())
  const stop = () => {
    isOver = true
    from.off("readable", next).off("end", ended)
  }
  from.on("readable", next).once("end", ended)
  to.once("close", stop)
  return stop
}
