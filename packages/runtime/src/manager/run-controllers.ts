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

/** Which controllers run in this process. Always true between calls: the metric says 1 of those that run and 0 of those that did. */
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

export interface RunControllersOptions {
  readonly runners: readonly ControllerRunner[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Between the starts of two controllers, once to twice as long: so many lists and plans do not come at once. */
  readonly startInterval: Duration
  /** How long the keys in hand may take to end. */
  readonly grace: Duration
  readonly running: RunningControllers
}

export interface StopSignals {
  /** Aborts when nothing new shall be begun. */
  readonly stop: AbortSignal
  /** Aborts when everything has to end where it stands. */
  readonly lost?: AbortSignal
}

/**
 * Runs all loops until they are asked to stop; then what is in hand is ended, within the grace period.
 * A loop that fails, which none should, takes the others with it: half a manager that looks alive is worse than none.
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

/** Starts when the signal to stop comes; cuts the work off when the time is over, and says whose work that was. */
function graceTimer({ runners, clock, log, grace }: RunControllersOptions, stop: AbortSignal, cut: AbortController): Disposable {
  let timer: Disposable | undefined
  const listening = onAbort(stop, () => {
    timer = clock.timer(milliseconds(grace), "grace period", () => {
      const busy = runners.filter((runner) => runner.active.length > 0)
      const running = Object.fromEntries(busy.map((runner) => [runner.name, runner.active]))
      log.warn("the grace period is over, cutting off who is still running", { running })
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
 * Works while the caches are kept; these end last, because loops that end what they have in hand still read them.
 * Caches that fail, which none should, end the work: whoever went on without them would only look alive.
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
