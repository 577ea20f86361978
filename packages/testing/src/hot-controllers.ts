import { type Controller, describePlan, type Trace } from "@pilothouse/runtime"
import { type Clock, PilothouseError } from "@pilothouse/seams"

/**
 * At one instant: reconciles of one key that wrote something, and all reconciles of one controller. A controller that only observes the writes of another is not counted among the first.
 * Both are guesses: far above what a controller needs that comes to rest, and low enough to be reached in seconds.
 */
const max = { writesOfKey: 1_000, reconcilesOfController: 50_000 }

interface Counts {
  reconciles: number
  readonly writes: Map<string, number>
}

/**
 * Stops controllers whose plans are never empty: each write enqueues the key again, no time passes, and without this a test would hang, out of reach even of its
 * own time limit, because the event loop never gets its turn.
 *
 * Invariant: the counts are those of the present instant; a controller that was found hot never reconciles again.
 */
export class HotControllers {
  readonly #clock: Pick<Clock, "elapsed">
  readonly #counts = new Map<string, Counts>()
  #instant = 0
  /** By name, with what they did in words, and the key where it was one. */
  readonly #hot = new Map<string, { readonly what: string; readonly key?: string }>()

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock
  }

  /** The same controller, whose reconciles are counted. Once hot, it waits at its next reconcile until it is stopped. */
  counted(controller: Controller): Controller {
    const { name } = controller
    return {
      ...controller,
      observe: (key, read, signal) => (this.#mayReconcile(name) ? controller.observe(key, read, signal) : new Promise(() => {})),
      onReconciled: (key, end) => {
        if (end.results.length > 0) this.#wrote(name, key)
        return controller.onReconciled?.(key, end)
      },
    }
  }

  /** Throws STUCK when a controller is hot. */
  refuse(trace: Trace): void {
    for (const [controller, { what, key }] of this.#hot) {
      const last = trace.entries().findLast((entry) => entry.controller === controller && entry.plan && (key ?? entry.key) === entry.key)
      const planned = last?.plan === undefined ? "none" : describePlan(last.plan).join("; ")
      const advice = "plan nothing once all is well: compare with what was observed before you write"
      throw new PilothouseError("STUCK", `${controller} made ${what} without time passing; its last plan was: ${planned}; ${advice}`)
    }
  }

  #mayReconcile(controller: string): boolean {
    const counts = this.#countsOf(controller)
    if (++counts.reconciles > max.reconcilesOfController)
      this.#hot.set(controller, { what: `${counted(max.reconcilesOfController)} reconciles` })
    return !this.#hot.has(controller)
  }

  #wrote(controller: string, key: string): void {
    const { writes } = this.#countsOf(controller)
    const count = (writes.get(key) ?? 0) + 1
    writes.set(key, count)
    if (count >= max.writesOfKey) this.#hot.set(controller, { what: `${counted(count)} reconciles of ${key}`, key })
  }

  #countsOf(controller: string): Counts {
    if (this.#instant !== this.#clock.elapsed()) this.#counts.clear()
    this.#instant = this.#clock.elapsed()
    const counts = this.#counts.get(controller) ?? { reconciles: 0, writes: new Map() }
    this.#counts.set(controller, counts)
    return counts
  }
}

function counted(number: number): string {
  return number.toLocaleString("en")
}
