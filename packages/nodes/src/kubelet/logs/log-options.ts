import { formatTime, parseTime } from "@pilothouse/api"
import { type Query, queryValue } from "@pilothouse/seams"
import type { LogLine } from "./container-log.ts"

/** What of a log is wanted, as kubectl asks for it; the API server has checked the numbers. */
export interface LogOptions {
  readonly follow: boolean
  readonly previous: boolean
  readonly timestamps: boolean
  readonly tailLines?: number
  /** Milliseconds since 1970. */
  readonly since?: number
  readonly limitBytes?: number
}

/** Parses the query of a request for a log. */
export function logOptionsOf(query: Query, now: number): LogOptions {
  const flag = (name: string) => /^(true|1)$/i.test(queryValue(query, name) ?? "")
  const count = (name: string) => {
    const text = queryValue(query, name)
    return text === undefined ? undefined : Number(text)
  }
  const seconds = count("sinceSeconds")
  const time = queryValue(query, "sinceTime")
  return {
    follow: flag("follow"),
    previous: flag("previous"),
    timestamps: flag("timestamps"),
    tailLines: count("tailLines"),
    since: seconds === undefined ? (time && parseTime(time)) || undefined : now - seconds * 1000,
    limitBytes: count("limitBytes"),
  }
}

/** The lines that were there when the question came. */
export function chosenLines(lines: readonly LogLine[], { tailLines, since }: LogOptions): readonly LogLine[] {
  const recent = since === undefined ? lines : lines.filter(({ at }) => at >= since)
  if (tailLines === undefined) return recent
  return tailLines === 0 ? [] : recent.slice(-tailLines)
}

/** Returns the lines as text, with their times where requested. */
export function logText(lines: readonly LogLine[], { timestamps }: Pick<LogOptions, "timestamps">): string {
  return lines.map(({ at, text }) => `${timestamps ? `${nanoTime(at)} ` : ""}${text}\n`).join("")
}

/** As container runtimes write it: 2026-01-05T09:00:00.250000000Z */
function nanoTime(at: number): string {
  const fraction = String(Math.floor(at % 1000)).padStart(3, "0")
  return `${formatTime(at).replace(/Z$/, "")}.${fraction}000000Z`
}
