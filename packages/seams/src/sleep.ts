import { aborted, onAbort } from "./abort.ts"
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
