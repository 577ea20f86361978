import { type Log, type LogLevel, logTo } from "../log.ts"

const weight: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

/** Lines for people on standard error. */
export function textLog(least: LogLevel = "info"): Log {
  return logTo(({ level, message, fields }) => {
    if (weight[level] < weight[least]) return
    const details = Object.entries(fields).map(([name, value]) => ` ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    process.stderr.write(`${level.padEnd(5)} ${message}${details.join("")}\n`)
  })
}
