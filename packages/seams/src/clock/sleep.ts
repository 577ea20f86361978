import { aborted, onAbort } from "../concurrency/abort.ts"
import { PilothouseError } from "../errors/errors.ts"
import type { Clock, SleepOptions } from "./clock.ts"

/** Sleep in terms of a timer: the same for every clock. */
export function sleepOn(clock: Pick<Clock, "timer">, milliseconds: number, options: SleepOptions = {}): Promise<void> {
  const { signal, name = "sleep" } = options
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted(signal))
    const timer = clock.timer(milliseconds, name, () => {
      listening[Symbol.dispose]()
      resolve()
    })
    const listening = onAbort(signal, () => {
      timer[Symbol.dispose]()
      if (signal !== undefined) reject(aborted(signal))
    })
  })
}

/** Returns how long a timer waits. NaN would break the order of all timers, and Infinity is a wait that was never intended. */
export function timerDelay(milliseconds: number, name: string): number {
  if (Number.isFinite(milliseconds)) return Math.max(0, milliseconds)
  throw new PilothouseError(
    "INVALID",
    `expected a finite number of milliseconds for the timer "${name}", found ${milliseconds}; a wait without end needs no timer`,
  )
}
