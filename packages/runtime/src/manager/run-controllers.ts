import {
  abortWith,
  type Clock,
  type Duration,
  type Gauge,
  type Log,
  type Metrics,
  milliseconds,
  onAbort,
  type Random,
} from "@pilothouse/seams"
import type { ControllerRunner } from "../controller/controller-runner.ts"

export interface RunControllersOptions {
  readonly runners: readonly ControllerRunner[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Interval between the starts of two controllers, randomized up to twice as long, to spread lists and plans. */
  readonly startInterval: Duration
  /** Time for active keys to finish. */
  readonly grace: Duration
  readonly running: RunningControllers
}

/** The two ways to stop: in order, and at once. */
export interface StopSignals {
  /** Aborts when no new key shall be started. */
  readonly stop: AbortSignal
  /** Aborts when active keys have to end at once. */
  readonly lost?: AbortSignal
}

/**
 * Runs all controllers until the stop signal; then active keys finish within the grace period.
 * A controller that throws, which should not happen, stops the others: half a manager that appears healthy is worse than none.
 */
export async function runControllers(options: RunControllersOptions, { stop, lost }: StopSignals): Promise<void> {
  const cut = new AbortController()
  const ending = new AbortController()
  const failures: unknown[] = []
  using _lost = abortWith(cut, lost)
  using _stop = abortWith(ending, stop)
  using _grace = graceTimer(options, ending.signal, cut)
  const run = async (runner: ControllerRunner): Promise<void> => {
    options.running.started(runner.name)
    try {
      await runner.run(ending.signal, cut.signal)
    } catch (error) {
      failures.push(error)
      ending.abort()
    } finally {
      options.running.ended(runner.name)
    }
  }
  const runs: Promise<void>[] = []
  for (const runner of options.runners) {
    if (runs.length > 0) await pause(options, ending.signal)
    if (ending.signal.aborted) break
    runs.push(run(runner))
  }
  await Promise.all(runs)
  if (failures.length > 0) throw failures[0]
}

async function pause({ clock, random, startInterval }: RunControllersOptions, signal: AbortSignal): Promise<void> {
  const interval = milliseconds(startInterval)
  if (interval === 0) return
  await clock.sleep(interval * (1 + random.next()), { signal, name: "start of the next controller" }).catch(() => {})
}

/** Starts at the stop signal; aborts active keys when the time is over, and logs them. */
function graceTimer({ runners, clock, log, grace }: RunControllersOptions, stop: AbortSignal, cut: AbortController): Disposable {
  let timer: Disposable | undefined
  const listening = onAbort(stop, () => {
    timer = clock.timer(milliseconds(grace), "grace period", () => {
      const busy = runners.filter((runner) => runner.active.length > 0)
      const running = Object.fromEntries(busy.map((runner) => [runner.name, runner.active]))
      log.warn("the grace period is over, aborting active keys", { running })
      cut.abort()
    })
  })
  return {
    [Symbol.dispose]() {
      listening[Symbol.dispose]()
      timer?.[Symbol.dispose]()
    },
  }
}

/**
 * Runs work while the caches run; these end last, because active keys still read them.
 * Caches that throw, which should not happen, stop the work: a manager without them would only look healthy.
 */
export async function withCaches(
  watch: (signal: AbortSignal) => Promise<unknown>,
  work: (stop: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const [caches, ending] = [new AbortController(), new AbortController()]
  const failures: unknown[] = []
  using _stop = abortWith(ending, signal)
  const watching = watch(caches.signal).catch((error: unknown) => {
    failures.push(error)
    ending.abort()
  })
  try {
    await work(ending.signal)
  } finally {
    caches.abort()
    await watching
  }
  if (failures.length > 0) throw failures[0]
}

/** The controllers that run in this process. Invariant: the metric is 1 for those that run and 0 for those that did. */
export class RunningControllers {
  readonly #names = new Set<string>()
  readonly #gauge: Gauge

  constructor(metrics: Metrics) {
    this.#gauge = metrics.gauge({ name: "running_managed_controllers", help: "1 for each controller that runs in this process" })
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }

  started(name: string): void {
    this.#names.add(name)
    this.#gauge.set(1, { name })
  }

  ended(name: string): void {
    this.#names.delete(name)
    this.#gauge.set(0, { name })
  }
}
