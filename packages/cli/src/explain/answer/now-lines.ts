import { parseTime } from "@pilothouse/api"
import type { TraceLine } from "@pilothouse/runtime"
import { milliseconds } from "@pilothouse/seams"
import { remaining, shortDuration } from "../durations.ts"
import { isNoted, lastReconciles, type TracedReconcile } from "../trace.ts"

/** Returns lines about what each controller decided last and what it waits for; its writes are in the history. Notes about a kind that is `unserved` come first. */
export function nowLines(reconciles: readonly TracedReconcile[], now: number, unserved?: string): readonly string[] {
  const last = lastReconciles(reconciles)
  if (last.length === 0) return [unserved ?? "no controller has reconciled it: none has to, or it was long ago and is forgotten"]
  const said = last.flatMap((reconcile) =>
    thoughts(reconcile, now).map((line) => `${reconcile.controller}${since(reconcile, line, now)}: ${line.text}`),
  )
  return [...new Set([...(unserved === undefined ? [] : [unserved]), ...said])]
}

/** Milliseconds for which what a controller thought needs no date. */
const fresh = 60_000

/** What a controller thought long ago may not be so any more; what is to come is counted from now on. */
function since({ at }: TracedReconcile, { kind }: Thought, now: number): string {
  const age = now - parseTime(at)
  return age < fresh || kind === "requeue" ? "" : ` (${shortDuration(age)} ago)`
}

/** What is printed of a line, and what kind of line it was. */
interface Thought {
  readonly kind: TraceLine["kind"]
  readonly text: string
}

function thoughts(reconcile: TracedReconcile, now: number): readonly Thought[] {
  if (reconcile.absent === true) return [summary("does not run here: --controllers of this cluster leaves it out")]
  const { lines, error, results } = reconcile
  if (error !== undefined) return [{ kind: "failure", text: failure(reconcile, error, outlook(reconcile, now)) }]
  const isDry = results === undefined
  const said = lines.filter(isDry ? isOutlook : (line) => !isDeed(line) && !isNote(line)).map((line) => byNow(line, reconcile, now))
  if (said.length > 0) return said
  return [summary(isDry && lines.length > 0 ? "would do what follows" : "nothing more to do")]
}

function summary(text: string): Thought {
  return { kind: "summary", text }
}

/** Something that was done or reported, and is over. */
function isDeed(line: TraceLine): boolean {
  return line.kind === "event" || (line.kind === "operation" && (line.outcome === "done" || line.outcome === "skipped"))
}

/** Reports whether a line is only a note of the controller: that a node has sent its heartbeat. */
export function isNote(line: TraceLine): boolean {
  return line.kind === "operation" && isNoted(line)
}

/** What is waited for, which is the same whether anything was sent or not. */
function isOutlook(line: TraceLine): boolean {
  return line.kind === "wait" || line.kind === "requeue" || (line.kind === "summary" && line.state !== undefined)
}

/** A requeue says how long it is from the reconcile on; of interest is how long it is from now. */
function byNow(line: TraceLine, { at }: TracedReconcile, now: number): Thought {
  if (line.kind !== "requeue") return line
  return { kind: line.kind, text: `requeue ${left(parseTime(at) + milliseconds(line.after) - now)}, because ${line.reason}` }
}

/** "in 4m59s" */
function left(time: number): string {
  return time < 500 ? "any moment" : `in ${remaining(time)}`
}

function outlook({ failures = 1, givenUp, nextAt }: TracedReconcile, now: number): string {
  const times = failures > 1 ? `failed ${failures} times in a row` : "failed"
  if (givenUp) return `${times}, and is not tried again until something changes`
  return `${times}, and is tried again${nextAt === undefined ? "" : ` ${left(parseTime(nextAt) - now)}`}`
}

/** Describes the failure of a reconcile. Two clients that write the same object at once are usual in every cluster, and harmless. */
export function failure({ lines, conflict }: TracedReconcile, error: string, outcome = "failed, and is tried again"): string {
  const cause = lines.find(({ tellsFailure }) => tellsFailure)?.text ?? error
  if (conflict !== true) return `${outcome}: ${cause}`
  return `came second, which is harmless: another client had written it in between, so it was reconciled again (${cause})`
}
