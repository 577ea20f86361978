import { type Log, type LogLevel, logTo, PilothouseError } from "@pilothouse/seams"
import { jsonLog, textLog } from "@pilothouse/seams/system"
import type { OwnSettings } from "./flags.ts"

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"]

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
  const level = levels.find((one) => one === settings["log-level"])
  if (level === undefined)
    throw new PilothouseError(
      "USAGE",
      `--log-level: expected ${levels.slice(0, -1).join(", ")} or ${levels.at(-1)}, found "${settings["log-level"]}"`,
    )
  return settings["logging-format"] === "json" ? jsonLog(level) : textLog(level)
}
