import type { EventEmitter } from "node:events"
import { inspect } from "node:util"

/** Milliseconds that a stop may take: with less a supervisor need not kill the process. `docker stop` waits for ten seconds. */
export const stopLimit = 8000

/** Milliseconds that open requests of a server get to end in: Ctrl-C has to be over within a second. */
export const stopGrace = 300

/** Of the process, with the milliseconds that a stop may take, when it has begun. */
const stopping = "pilothouse-stopping"

/**
 * From now on a stop that takes longer than its command allows, whatever hangs, ends the process with exit code 1. What ends earlier is not held up.
 * For the program itself: where commands run inside of another it is not theirs to end. Gives what asks the running command to stop as a signal does; it
 * answers false where no command listens and none is stopping already, whose listener is gone by then.
 */
export function limitStops(bus: EventEmitter = process): () => boolean {
  let hasBegun = false
  bus.once(stopping, (limit: number) => {
    hasBegun = true
    const end = () => {
      const expected = `expected everything to stop within ${limit / 1000} s`
      process.stderr.write(`pilothouse: ${expected}, found something still running; it is cut off\n`)
      process.exit(1)
    }
    setTimeout(end, limit).unref()
  })
  return () => bus.emit("SIGTERM") || hasBegun
}

function beginStop(limit: number): void {
  ;(process as EventEmitter).emit(stopping, limit)
}

/** The parts of the process that `endOnUnhandledErrors` uses. */
export interface UnhandledErrorsOptions {
  readonly process: {
    on(name: "uncaughtException", listener: (error: unknown, origin: string) => void): unknown
    exitCode?: number | string | null | undefined
  }
  /** Must not fail in a way that comes back as an error that nothing handles: that would be a controller without end. */
  readonly write: (text: string) => void
  /** Asks the running command to stop as a signal does; false where none listens or stops. */
  readonly requestStop: () => boolean
  readonly exit: () => void
}

/**
 * Errors and rejections that nothing has handled: logged with their stack and causes, and the process ends in order (storage closed, lease released)
 * with exit code 1, within the time that a stop may take. Node would end it at once.
 */
export function endOnUnhandledErrors({ process, write, requestStop, exit }: UnhandledErrorsOptions): void {
  let isEnding = false
  // Without a listener of its own an unhandled rejection comes here too.
  process.on("uncaughtException", (error, origin) => {
    const what =
      origin === "unhandledRejection" ? "a promise was rejected and nothing handled it" : "an error was thrown and nothing caught it"
    write(`pilothouse: ${what}: ${inspect(error)}\n`)
    if (isEnding) return
    isEnding = true
    process.exitCode = 1
    write("pilothouse: this is a fault of Pilothouse; it ends now. Please report it with the lines above\n")
    if (!requestStop()) exit()
  })
}

/**
 * Aborts at Ctrl-C or when the system asks the process to end. A second Ctrl-C ends the process at once. Listens until disposed, which is for when all
 * work is over: a launcher passes on what the terminal has sent already, and without a listener that would end the process in the middle. With `hangUp` a terminal
 * that is closed is such a request too, for who has nothing to read again then. `limit` is how many milliseconds the stop may take.
 */
export function stopRequest(hangUp = false, limit = stopLimit): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController()
  const names = ["SIGINT", "SIGTERM", ...(hangUp ? (["SIGHUP"] as const) : [])] as const
  const stop = () => {
    controller.abort()
    beginStop(limit)
  }
  for (const name of names) process.once(name, stop)
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of names) process.removeListener(name, stop)
    },
  }
}

/**
 * Ends when that is asked for; what comes then, until the process is over, is not interrupted. Rejects where `lost` does, which ends the command in the
 * same way: the stop has the same time limit.
 */
export function waitForStopSignal(hangUp = false, lost?: Promise<never>): Promise<void> {
  const { signal } = stopRequest(hangUp)
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => resolve(), { once: true })
    lost?.catch((error: unknown) => {
      beginStop(stopLimit)
      reject(error)
    })
  })
}

/** Calls it whenever the system sends SIGHUP, until disposed. */
export function onHangUp(listener: () => void): Disposable {
  process.on("SIGHUP", listener)
  return { [Symbol.dispose]: () => void process.removeListener("SIGHUP", listener) }
}
