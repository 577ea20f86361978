import { type Log, logTo } from "@pilothouse/seams"

/** A log of what one controller does, and why, with the hour of the cluster. */
export function story(controller: string, now: () => number): Log {
  return logTo(({ message, fields }) => {
    if (fields.controller !== controller || message !== "reconciled" || !Array.isArray(fields.plan)) return
    for (const line of fields.plan) console.log(`${hour(now())} ${controller} ${fields.key}: ${line}`)
  })
}

/** "07:30" */
export function hour(now: number): string {
  return new Date(now).toISOString().slice(11, 16)
}
