import { type Log, logTo } from "@pilothouse/seams"
import { jsonLog, systemClock, textLog } from "@pilothouse/seams/system"
import type { OwnSettings } from "./flags/flags.ts"

/** A log whose level and format can be changed while it is in use. */
export interface ChangingLog {
  readonly log: Log
  change(settings: OwnSettings): void
}

export function changingLog(settings: OwnSettings): ChangingLog {
  let current = logFor(settings)
  return {
    log: logTo(({ level, message, fields }) => current[level](message, fields)),
    change(next) {
      current = logFor(next)
    },
  }
}

function logFor(settings: OwnSettings): Log {
  const level = settings["log-level"]
  return settings["logging-format"] === "json" ? jsonLog(level) : textLog(level, undefined, systemClock)
}
