import type { TraceLine } from "@pilothouse/runtime"
import { printableLines } from "../../client/printable.ts"
import type { CoreEvent } from "../events.ts"
import { isEventful, type TracedReconcile } from "../trace.ts"
import type { Verdict } from "../verdict/verdict.ts"
import { failure, isNote, nowLines } from "./now-lines.ts"

export interface Section {
  readonly title: string
  readonly lines: readonly string[]
}

/** Everything that `explain` prints of one object, read and judged; `format` adds no fact. */
export interface Explained {
  /** "deployment.apps/web in default" */
  readonly title: string
  /** How it is; shown first, beside the title. */
  readonly verdict: Verdict
  /** What the server prints of it: heading and line. */
  readonly state: string
  readonly conditions: readonly string[]
  readonly reconciles: readonly TracedReconcile[]
  readonly events: readonly CoreEvent[]
  /** What it owns or what serves it, a table for each kind. */
  readonly dependents: readonly { readonly title: string; readonly table: string }[]
  /** What can be read from the object itself: "Traffic" of a Service, "Containers" of a pod. */
  readonly sections?: readonly Section[]
  /** Of a kind that no controller here acts upon: what that means. */
  readonly unserved?: string
  /** Where the reconciles are from, when they are not history. */
  readonly note?: string
  /** Whether what was done is shown too. */
  readonly isHistoryShown?: boolean
  /** Milliseconds since 1970: the time that is left counts from here. */
  readonly now: number
}

/** Reconciles that are shown; older ones are in /debug/trace. */
const maxReconciles = 12

/** Formats an explanation: the verdict, what to do, then sections of indented lines; empty sections are left out. */
export function formatExplained(explained: Explained): string {
  const {
    title,
    verdict,
    state,
    conditions,
    reconciles,
    events,
    dependents,
    sections = [],
    unserved,
    note,
    isHistoryShown,
    now,
  } = explained
  // What would be done is no history.
  const isHidden = !isHistoryShown && !isDryRun(reconciles)
  const parts: readonly Section[] = [
    { title: "Conditions", lines: conditions },
    ...sections,
    { title: "Now", lines: nowLines(reconciles, now, unserved) },
    ...(isHidden ? [] : story(reconciles, note)),
    { title: "Events", lines: events.map(eventLine) },
    ...dependents.map(({ title: what, table }) => ({ title: what, lines: table.trimEnd().split("\n") })),
    { title: "History", lines: isHidden ? hiddenHistory(reconciles) : [] },
  ]
  const shown = parts.filter(({ lines }) => lines.length > 0)
  const first = [verdictLine(title, verdict), ...adviceLines(verdict), ...indent(state.trimEnd().split("\n"))]
  const text = [first, ...shown.map((part) => [part.title, ...indent(part.lines)])].map((lines) => lines.join("\n")).join("\n\n")
  return printableLines(`${text}\n`)
}

/** "deployment.apps/web in default: not available, 0 of 2 pods ready: …" */
export function verdictLine(title: string, { summary }: Verdict): string {
  return printableLines(`${title}: ${summary}`)
}

function adviceLines({ advice }: Verdict): readonly string[] {
  return advice === undefined ? [] : [`  to do: ${advice}`]
}

function hiddenHistory(reconciles: readonly TracedReconcile[]): readonly string[] {
  const count = reconciles.filter(isEventful).length
  return count === 0 ? [] : [`${count === 1 ? "1 reconcile" : `${count} reconciles`} did something: --history shows what, and why`]
}

function isDryRun(reconciles: readonly TracedReconcile[]): boolean {
  return reconciles.every(({ results }) => results === undefined)
}

function story(reconciles: readonly TracedReconcile[], note: string | undefined): readonly Section[] {
  const eventful = reconciles.filter(isEventful)
  if (reconciles.length === 0) return []
  if (eventful.length === 0) return note === undefined ? [] : [{ title: "What would be done", lines: [note] }]
  const folded = withoutRepeats(eventful)
  const shown = folded.slice(-maxReconciles)
  const isDry = shown.every(({ reconcile }) => reconcile.results === undefined)
  const dry = isDry ? "it runs dry: nothing was sent" : undefined
  const would = note ?? dry
  const title = would === undefined ? `What was done, and why${older(folded.length - shown.length)}` : `What would be done (${would})`
  return [{ title, lines: shown.flatMap(reconcileLines) }]
}

function older(count: number): string {
  return count === 0 ? "" : ` (the last ${maxReconciles} reconciles of ${count + maxReconciles})`
}

function reconcileLines({ reconcile, times }: RepeatedReconcile): readonly string[] {
  const { at, controller, causes } = reconcile
  const why = causes.length === 0 ? "" : `, because ${causes.join("; ")}`
  return [`${clockTime(at)} ${controller}${why}${times === 1 ? "" : ` (the last of ${times} times)`}`, ...indent(shownLines(reconcile))]
}

/** Without the lines of the kinds to omit. The error is shown once, last. */
function shownLines(reconcile: TracedReconcile, omitted?: TraceLine["kind"]): readonly string[] {
  const { lines, error } = reconcile
  const shown = lines.filter((line) => !isNote(line) && !line.tellsFailure && line.kind !== omitted).map(({ text }) => text)
  return error === undefined ? shown : [...shown, failure(reconcile, error)]
}

interface RepeatedReconcile {
  readonly reconcile: TracedReconcile
  /** How often a controller has done just this. */
  readonly times: number
}

/**
 * A Lease that is renewed every ten seconds, or a retry that fails as before, is one line with a number where it was last: what else happened stays
 * in sight.
 */
function withoutRepeats(reconciles: readonly TracedReconcile[]): readonly RepeatedReconcile[] {
  const byDeed = new Map<string, RepeatedReconcile>()
  for (const reconcile of reconciles) {
    const deed = JSON.stringify([reconcile.controller, reconcile.key, lastingWords(reconcile)])
    const times = (byDeed.get(deed)?.times ?? 0) + 1
    byDeed.delete(deed)
    byDeed.set(deed, { reconcile, times })
  }
  return [...byDeed.values()]
}

/**
 * Without when it is looked at next, which differs by milliseconds, and without what the server made up: a pod that is refused has another name each
 * time.
 */
function lastingWords(reconcile: TracedReconcile): readonly string[] {
  return shownLines(reconcile, "requeue").map((line) => line.replaceAll(/-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "-…"))
}

/** "2026-11-16T03:31:31.123456Z" → "03:31:31.123" */
function clockTime(at: string): string {
  return at.slice(11, 23)
}

function eventLine({ type, reason, message, count, source, age }: CoreEvent): string {
  return `${age} ago  ${type} ${reason} (${source}${count > 1 ? `, ${count} times` : ""}): ${message}`
}

function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`)
}
