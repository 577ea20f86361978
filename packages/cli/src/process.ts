import type { EventEmitter } from "node:events"

/** Milliseconds that a stop may take: with less a supervisor need not kill the process. `docker stop` waits for ten seconds. */
export const stopLimit = 8000

/** Asks the running command to stop as a signal does; false where none listens. */
export function requestStop(): boolean {
  return process.emit("SIGTERM")
}

/** Of the process, with the milliseconds that a stop may take, when it has begun. */
const stopping = "pilothouse-stopping"

/**
 * From now on a stop that takes longer than its command allows, whatever hangs, ends the process with exit code 1. What ends earlier is not held up.
 * For the program itself: where commands run inside of another it is not theirs to end.
 */
export function limitStops(bus: EventEmitter = process): void {
  bus.once(stopping, (limit: number) => {
    const end = () => {
      const expected = `expected everything to stop within ${limit / 1000} s`
      process.stderr.write(`pilothouse: ${expected}, found something still running; it is cut off\n`)
      process.exit(1)
    }
    setTimeout(end, limit).unref()
  })
}

/**
 * Aborts at Ctrl-C or when the system asks the process to end. A second Ctrl-C ends the process at once. Listens until disposed, which is for when all
 * work is over: a launcher passes on what the terminal has sent already, and nobody listening would end the process in the middle. With `hangUp` a terminal
 * that is closed is such a request too, for who has nothing to read again then. `limit` is how many milliseconds the stop may take.
 */
export function stopRequest(hangUp = false, limit = stopLimit): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController()
  const names = ["SIGINT", "SIGTERM", ...(hangUp ? (["SIGHUP"] as const) : [])] as const
  const stop = () => {
    controller.abort()
    ;(process as EventEmitter).emit(stopping, limit)
  }
  for (const name of names) process.once(name, stop)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of names) process.removeListener(name, stop)
    },
  }
}

/** Ends when that is asked for; what comes then, until the process is over, is not interrupted. */
export function untilAskedToStop(hangUp = false): Promise<void> {
  const { signal } = stopRequest(hangUp)
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }))
}

/** Calls it whenever the system sends SIGHUP, until disposed. */
export function onHangUp(listener: () => void): Disposable {
  process.on("SIGHUP", listener)
  return { [Symbol.dispose]: () => void process.removeListener("SIGHUP", listener) }
}
