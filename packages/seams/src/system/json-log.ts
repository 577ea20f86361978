import { createRequire } from "node:module"
import type { DestinationStream, Logger } from "pino"
import { messageOf, PilothouseError } from "../errors.ts"
import { type Log, type LogFields, type LogLevel, logTo } from "../log.ts"

/**
 * Lines of JSON for machines, on standard error by default. pino makes them.
 * It is loaded with the first line: that takes 40 ms, which a program that logs for people should not pay.
 */
export function jsonLog(least: LogLevel = "info", destination?: DestinationStream): Log {
  let logger: Logger | undefined
  return logTo(({ level, message, fields }) => {
    logger ??= makeLogger(least, destination)
    logger[level](plain(fields), message)
  })
}

function makeLogger(level: LogLevel, destination: DestinationStream | undefined): Logger {
  const pino = createRequire(import.meta.url)("pino") as typeof import("pino")
  // Synchronous: what was said before a process.exit is written.
  return pino.pino(
    { level, messageKey: "message", formatters: { level: (label) => ({ level: label }) } },
    destination ?? pino.destination({ dest: 2, sync: true }),
  )
}

/** Errors have no fields that JSON sees. */
function plain(fields: LogFields): LogFields {
  const shown = Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? errorFields(value) : value])
  return Object.fromEntries(shown)
}

function errorFields(error: Error): LogFields {
  return { message: messageOf(error), code: error instanceof PilothouseError ? error.code : undefined, stack: error.stack }
}
