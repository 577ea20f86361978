import { type Executor, type RememberOperation, remembers } from "@pilothouse/runtime"

/** When a pod is evicted. */
export interface Timer {
  readonly uid: string | undefined
  readonly at: number
  /** The timer has expired and the pod is being deleted: this is not cancelled any more. */
  readonly isOver: boolean
}

/**
 * Remembers when each pod with a limited toleration is evicted. A timer starts when the pod is first seen with its taints; a restart starts it again.
 *
 * Invariant: there is a timer for each existing pod that has to be evicted, and for no other.
 */
export class Timers {
  readonly #timers = new Map<string, Timer>()

  /** Returns the timer of that pod; a timer of another pod of the same name does not count. */
  of(key: string, uid?: string): Timer | undefined {
    const timer = this.#timers.get(key)
    return uid === undefined || timer?.uid === uid ? timer : undefined
  }

  keep(key: string, timer: Timer | undefined): void {
    if (timer === undefined) this.#timers.delete(key)
    else this.#timers.set(key, timer)
  }
}

/** Stores the timer as part of the plan, so that decide has no side effects. */
export interface RememberTimer extends RememberOperation {
  readonly do: "remember-timer"
  readonly key: string
  /** Undefined when the pod is not evicted any more. */
  readonly timer?: Timer
}

export function rememberTimersIn(timers: Timers): Executor {
  return remembers<RememberTimer>("remember-timer", ({ key, timer }) => timers.keep(key, timer))
}
