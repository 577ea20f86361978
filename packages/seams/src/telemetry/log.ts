/** The level of a line, least important first. */
export type LogLevel = "debug" | "info" | "warn" | "error"

/** From the least important to the most. */
export const logLevels: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

/** The structured fields of a line. */
export type LogFields = Readonly<Record<string, unknown>>

/** Where sentences about what happens go. The message is for people; the fields are for machines. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A log that adds these fields to every line. */
  with(fields: LogFields): Log
}

/** A line of a `recordingLog`. */
export interface LogLine {
  readonly level: LogLevel
  readonly message: string
  readonly fields: LogFields
}

/** A log in terms of one function that takes a line. Fields of lines below `minLevel` are not read: what takes time to say may be a getter. */
export function logTo(sink: (line: LogLine) => void, minLevel: LogLevel = "debug", fields: LogFields = {}): Log {
  const at = (level: LogLevel) =>
    logLevels[level] < logLevels[minLevel]
      ? () => {}
      : (message: string, more?: LogFields) => sink({ level, message, fields: { ...fields, ...more } })
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    with: (more) => logTo(sink, minLevel, { ...fields, ...more }),
  }
}

/** A log that discards every line. */
export const silentLog: Log = logTo(() => {})

/** Keeps every line: for tests that ask what was said. */
export function recordingLog(): { readonly log: Log; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = []
  return { log: logTo((line) => lines.push(line)), lines }
}
