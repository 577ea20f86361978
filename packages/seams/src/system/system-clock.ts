import { performance } from "node:perf_hooks"
import type { Clock } from "../clock/clock.ts"
import { sleepOn, timerDelay } from "../clock/sleep.ts"

/** Node fires a timer at once when asked for more than this; a longer wait is made of several. */
const maxTimer = 2 ** 31 - 1

/** The clock of this machine. Its external work needs no marking: time goes on by itself. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (milliseconds, options) => sleepOn(systemClock, milliseconds, options),
  timer: (milliseconds, name, fire) => startTimer(timerDelay(milliseconds, name), fire),
  external: (work) => work,
}

function startTimer(milliseconds: number, fire: () => void): Disposable {
  let rest = milliseconds
  let handle: NodeJS.Timeout
  const start = () => {
    const part = Math.min(rest, maxTimer)
    rest -= part
    handle = setTimeout(() => (rest > 0 ? start() : fire()), part)
  }
  start()
  return { [Symbol.dispose]: () => clearTimeout(handle) }
}
