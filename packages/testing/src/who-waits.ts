import { describePlan, isKubeOperation, type TraceEntry } from "@pilothouse/runtime"
import { formatDuration } from "@pilothouse/seams"

/** Lines of one message; the trace has the rest. */
const most = 8
/** Lines about controllers that wait for nothing: what they did last may show which has not had a turn. */
const least = 3

/** What goes on in every cluster, whatever a test waits for. */
const housekeeping =
  /\bwatch\b|\bLease\b|^kinds of |^resync of |: resync |event recorder|metrics of active keys|initial state check|^own writes of |^expiry of /
/** Why a controller requeues though nothing is wrong: heartbeats of nodes are sent and expected. */
const beat = /\bLease\b|without a heartbeat/

/** Who waits for what, in words, the most telling first: from the last reconcile of every key by every controller, and from the timers that are not housekeeping. */
export function whoWaits(entries: readonly TraceEntry[], timers: readonly string[], now: number): readonly string[] {
  const last = new Map<string, TraceEntry>()
  for (const entry of entries) {
    const look = `${entry.controller}: ${entry.key}`
    // Those that looked last stand last.
    last.delete(look)
    last.set(look, entry)
  }
  const looks = [...last.values()].reverse().map((entry) => ({ entry, rank: rankOf(entry) }))
  const telling = looks.filter(({ rank }) => rank < 4).sort((a, b) => a.rank - b.rank)
  const urgent = telling.filter(({ rank }) => rank < 2).length
  const told = telling.slice(0, Math.min(most, Math.max(urgent, least))).map(({ entry }) => lineOf(entry, now))
  const others = timers.filter((timer) => !housekeeping.test(timer) && !last.has(timer.replace(/ in \d+ ms$/, "")))
  const lines = [...told, ...others.slice(0, most)]
  return lines.length === 0 ? ["no controller waits for anything, and none has done anything"] : lines
}

/** Failures before what is waited for, then what was done, then what is to come by itself. 4: nothing worth a line. */
function rankOf({ error, plan, results }: TraceEntry): number {
  if (error !== undefined) return 0
  if (plan === undefined) return 4
  if (plan.waitingFor.length > 0) return 1
  if (results.some(({ operation }) => isKubeOperation(operation))) return 2
  // prose: only decides which lines a test that waits without success prints.
  return plan.requeue === undefined || beat.test(plan.requeue.reason) ? 4 : 3
}

function lineOf({ controller, key, at, error, plan }: TraceEntry, now: number): string {
  const said = error === undefined ? plan && wordsOf(plan) : `failed: ${error}`
  return `${controller} ${key} (${formatDuration(Math.round((now - at) / 1000) * 1000)} ago): ${said}`
}

/** What was noted for the controller itself is left out. */
function wordsOf({ steps: all, requeue, waitingFor, summary }: NonNullable<TraceEntry["plan"]>): string {
  const steps = all.map((step) => ({ ...step, operations: step.operations.filter(isKubeOperation) }))
  const lines = describePlan({ steps, events: [], requeue, waitingFor, summary })
  return lines.map((line) => line.replace(/^nothing to do: /, "").replace(/^wait for /, "waits for ")).join("; ")
}
