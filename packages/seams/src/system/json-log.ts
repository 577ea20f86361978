import { hostname } from "node:os"
import { messageOf, PilothouseError } from "../errors/errors.ts"
import { stringifyJson } from "../json/exact-json.ts"
import { type Log, type LogFields, type LogLevel, logTo } from "../telemetry/log.ts"
import { systemClock } from "./system-clock.ts"

/** Where lines are written, as standard error is. */
interface Destination {
  write(text: string): unknown
}

/**
 * Lines of JSON for machines, on standard error by default: level, time in milliseconds, process, host, the fields, and the message.
 * Never throws: a field that JSON cannot represent is written as its type.
 */
export function jsonLog(minLevel: LogLevel = "info", destination: Destination = process.stderr): Log {
  const origin = { pid: process.pid, hostname: hostname() }
  return logTo(({ level, message, fields }) => {
    destination.write(`${lineOf({ level, time: systemClock.now(), ...origin, ...fields, message })}\n`)
  }, minLevel)
}

/** A field at a time: one that cannot be written leaves the others readable. */
function lineOf(fields: LogFields): string {
  const written = Object.entries(fields).flatMap(([name, value]) => {
    const json = jsonOf(value instanceof Error ? errorFields(value) : value)
    return json === undefined ? [] : [`${JSON.stringify(name)}:${json}`]
  })
  return `{${written.join(",")}}`
}

function jsonOf(value: unknown): string | undefined {
  try {
    return stringifyJson(value)
  } catch {
    // A circle: a log line is not worth an exception in its caller.
    return JSON.stringify(`[${typeof value}]`)
  }
}

/** Errors have no fields that JSON sees. */
function errorFields(error: Error): LogFields {
  return { message: messageOf(error), code: error instanceof PilothouseError ? error.code : undefined, stack: error.stack }
}
