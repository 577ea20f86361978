import { type Executor, type RememberOperation, remembers } from "@pilothouse/runtime"

/** When a pod has to leave its node. */
export interface Timer {
  readonly uid: string | undefined
  readonly at: number
  /** The time is over and the pod is being deleted: nothing cancels that any more. */
  readonly isOver: boolean
}

/**
 * Remembers when each pod that may stay for a while has to go. The time begins when it is first seen under its taints; a restart begins anew.
 *
 * Always true between calls: there is a timer for each pod that has to go and is not gone, and for no other.
 */
export class Timers {
  readonly #timers = new Map<string, Timer>()

  /** Of that very pod: another of its name has none of it. */
  of(key: string, uid?: string): Timer | undefined {
    const timer = this.#timers.get(key)
    return uid === undefined || timer?.uid === uid ? timer : undefined
  }

  keep(key: string, timer: Timer | undefined): void {
    if (timer === undefined) this.#timers.delete(key)
    else this.#timers.set(key, timer)
  }
}

/** When a pod has to go is kept by the plan: so that deciding stays free of side effects. */
export interface RememberTimer extends RememberOperation {
  readonly do: "remember-timer"
  readonly key: string
  /** Undefined: it need not go any more. */
  readonly timer?: Timer
}

export function rememberTimersIn(timers: Timers): Executor {
  return remembers<RememberTimer>("remember-timer", ({ key, timer }) => timers.keep(key, timer))
}
