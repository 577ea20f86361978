import { inspect } from "node:util"

/** As much of the process as is needed. */
export interface UnhandledErrorsOptions {
  readonly process: {
    on(name: "uncaughtException", listener: (error: unknown, origin: string) => void): unknown
    exitCode?: number | string | null | undefined
  }
  readonly write: (text: string) => void
  /** Asks the running command to stop as a signal does; false where none listens. */
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
