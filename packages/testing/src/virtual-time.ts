import { describePlan, isKubeOperation, type Manager, type TraceEntry } from "@pilothouse/runtime"
import { formatDuration, milliseconds, PilothouseError, VirtualClock } from "@pilothouse/seams"
import type { ClusterOptions, Condition } from "./cluster-options.ts"
import type { Controllers } from "./start-controllers.ts"

/** Undefined: real time. */
export function virtualClock({ time, start }: ClusterOptions): VirtualClock | undefined {
  return time === "real" ? undefined : new VirtualClock({ start: start === undefined ? undefined : startOf(start) })
}

function startOf(start: string): number {
  const found = Date.parse(start)
  if (!Number.isNaN(found)) return found
  throw new PilothouseError("INVALID", `expected a time such as "2026-01-05T23:30:00Z" as the start of the cluster, found "${start}"`)
}

/** Lets time pass until the condition holds. */
export async function until(clock: VirtualClock, condition: Condition, controllers: Controllers): Promise<void> {
  const deadline = clock.elapsed() + milliseconds("1h")
  await clock.settle()
  while (!(await run(clock, Promise.resolve(condition())))) {
    controllers.refuseBroken()
    if (clock.elapsed() >= deadline) throw conditionTimeout(clock, controllers)
    const before = clock.elapsed()
    await clock.run(() => clock.elapsed() > before)
    await clock.settle()
  }
}

function conditionTimeout(clock: VirtualClock, controllers: Controllers): PilothouseError {
  const { trace, health } = controllers.manager()
  const lines = [...unsynced(health), ...whoWaits(trace.entries(), clock.waiting(), clock.now())]
  return new PilothouseError("CLOCK_LIMIT", ["the condition did not come true within an hour; who waits for what:", ...lines].join("\n  "))
}

/** Ends with the work, which needs time to pass where time is virtual. */
export async function run<T>(clock: VirtualClock | undefined, work: Promise<T>): Promise<T> {
  if (clock !== undefined) await clock.run(work)
  return work
}

export function needVirtual(clock: VirtualClock | undefined, method: string): VirtualClock {
  if (clock === undefined)
    throw new PilothouseError(
      "INVALID",
      `${method}() moves virtual time, and this cluster runs in real time; make it with { time: "virtual" }`,
    )
  return clock
}

/** Lines of one message; the trace has the rest. */
const max = 8
/** Lines about controllers that wait for nothing: what they did last may show which has not had a turn. */
const min = 3

/** What goes on in every cluster, whatever a test waits for. */
const housekeeping =
  /\bwatch\b|\bLease\b|^kinds of |^resync of |: resync |event recorder|metrics of active keys|initial state check|^own writes of |^expiry of /
/** Why a controller requeues though nothing is wrong: heartbeats of nodes are sent and expected. */
const beat = /\bLease\b|without a heartbeat/

/** A controller does nothing until the caches of its kinds have synced. */
function unsynced(health: Manager["health"]): readonly string[] {
  const caches = health.ready().find(({ name, ok }) => name === "caches" && !ok)
  return caches === undefined ? [] : [`controllers wait for their caches: ${caches.reason}`]
}

/** Who waits for what, in words, the most telling first: from the last reconcile of every key by every controller, and from the timers that are not housekeeping. */
function whoWaits(entries: readonly TraceEntry[], timers: readonly string[], now: number): readonly string[] {
  const last = new Map<string, Reconciled>()
  for (const entry of entries) {
    const reconciled = `${entry.controller}: ${entry.key}`
    const before = last.get(reconciled)
    // Those that reconciled last stand last.
    last.delete(reconciled)
    const rank = rankOf(entry)
    // What it did is shown, also where the last reconcile found nothing to do; heartbeats requeue for ever.
    const rests = rank === 4 && entry.plan !== undefined && entry.plan.requeue === undefined
    const kept = rests && (before?.rank === 2 || before?.rank === 3.5) ? { entry: before.entry, rank: 3.5, later: entry } : { entry, rank }
    last.set(reconciled, kept)
  }
  const reconciles = [...last.values()].reverse()
  const telling = reconciles.filter(({ rank }) => rank < 4).sort((a, b) => a.rank - b.rank)
  const urgent = telling.filter(({ rank }) => rank < 2).length
  const shown = telling
    .slice(0, Math.min(max, Math.max(urgent, min)))
    .map(({ entry, later }) => `${lineOf(entry, now)}${later?.plan === undefined ? "" : `; then ${wordsOf(later.plan)}`}`)
  const others = timers.filter((timer) => !housekeeping.test(timer) && !last.has(timer.replace(/ in \d+ ms$/, "")))
  const lines = [...shown, ...others.slice(0, max)]
  return lines.length === 0 ? ["no controller waits for anything, and none has done anything"] : lines
}

/** The last reconcile of a key that is worth a line, and the one after it. */
interface Reconciled {
  readonly entry: TraceEntry
  readonly rank: number
  readonly later?: TraceEntry
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
