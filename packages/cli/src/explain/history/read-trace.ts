import { parseTime } from "@pilothouse/api"
import { milliseconds } from "@pilothouse/seams"
import { printable } from "../../client/printable.ts"
import type { TracedReconcile } from "../trace.ts"

/**
 * The reconciles in an answer of /debug/trace that came from an address which a Lease names: what does not have their form is left out, and text
 * has no character that a terminal would obey.
 */
export function readTrace(answer: unknown): readonly TracedReconcile[] {
  const { entries } = isRecord(answer) ? answer : {}
  return Array.isArray(entries) ? entries.filter(isTracedReconcile).map((reconcile) => printableIn(reconcile) as TracedReconcile) : []
}

function printableIn(value: unknown): unknown {
  if (typeof value === "string") return printable(value)
  if (Array.isArray(value)) return value.map(printableIn)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [printable(name), printableIn(part)]))
}

function isTracedReconcile(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { at, nextAt, controller, key, causes, observed, lines, plan, error } = value
  return (
    isTime(at) &&
    (nextAt === undefined || isTime(nextAt)) &&
    isText(controller) &&
    isText(key) &&
    [causes, observed].every((list) => Array.isArray(list) && list.every(isText)) &&
    Array.isArray(lines) &&
    lines.every(isLine) &&
    (plan === undefined || isPlan(plan)) &&
    (error === undefined || isText(error))
  )
}

/** Of a kind that this version does not know, too: such a line is printed. */
function isLine(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { kind, text, after, reason } = value
  return isText(kind) && isText(text) && (kind !== "requeue" || (isText(reason) && isDuration(after)))
}

function isDuration(value: unknown): boolean {
  try {
    return isText(value) && Number.isFinite(milliseconds(value))
  } catch {
    return false
  }
}

function isPlan(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { steps, waitingFor } = value
  const isStep = (step: unknown) => isRecord(step) && Array.isArray(step.operations) && step.operations.every(isRecord)
  return Array.isArray(steps) && steps.every(isStep) && Array.isArray(waitingFor) && waitingFor.every(isText)
}

function isTime(value: unknown): boolean {
  try {
    return isText(value) && Number.isFinite(parseTime(value))
  } catch {
    return false
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string"
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
