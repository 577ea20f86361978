import { compareText, parseTime } from "@pilothouse/api"
import type { ManagedFields } from "./object-managed-fields.ts"

/** Orders entries by operation, time, name, version and subresource. */
export function compareEntries(a: ManagedFields, b: ManagedFields): number {
  return (
    compareText(a.operation, b.operation) ||
    compareTimes(a.time, b.time) ||
    compareText(a.manager ?? "", b.manager ?? "") ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource ?? "", b.subresource ?? "")
  )
}

/** Orders times by their seconds; none stands before all. */
export function compareTimes(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0
  // The form in which the server writes them sorts as text.
  if (a?.length === secondsForm.length && b?.length === secondsForm.length && a.endsWith("Z") && b.endsWith("Z")) return compareText(a, b)
  return secondsOf(a) - secondsOf(b)
}

const secondsForm = "2006-01-02T15:04:05Z"

function secondsOf(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(parseTime(time) / 1000)
}

/** Whether two lists of entries say the same but for the times. */
export function equalButTimes(a: readonly ManagedFields[], b: readonly ManagedFields[]): boolean {
  if (a === b) return true
  return a.length === b.length && a.every((entry, index) => isSameManager(entry, b[index]!))
}

function isSameManager(a: ManagedFields, b: ManagedFields): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.apiVersion === b.apiVersion &&
    a.subresource === b.subresource &&
    (a.fieldsV1 === b.fieldsV1 || JSON.stringify(a.fieldsV1) === JSON.stringify(b.fieldsV1))
  )
}
