// Preloaded into the attacked process (--import): measures turns of its main thread by CPU time, so that a busy machine does not count, and answers
// questions over the IPC channel of the parent process.
import { promisify } from "node:util"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** What the parent process may ask. `jump` moves the wall clock and fires the timers that are due then; `reject` leaves a rejection unhandled. */
export interface Question {
  readonly id: number
  readonly ask: "turn" | "memory" | "reject" | "jump"
  /** Of a jump. */
  readonly milliseconds?: number
}

export interface Answer {
  readonly id: number
  /** Milliseconds of CPU time of the longest turn since the last question for it, or bytes of heap and external memory after a forced collection. */
  readonly value: number
}

/** Milliseconds. A turn is what the main thread used between two of these timers, so at most this much is counted too often. */
const resolution = 10
/** Milliseconds. Timers that are at least so long are fired by `jump`: shorter ones come by themselves. */
const longTimer = 60_000

if (process.send !== undefined) observe()

function observe(): void {
  const turns = measureTurns()
  const jump = movableClock()
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void
  const values: Readonly<Record<Question["ask"], (question: Question) => number | Promise<number>>> = {
    turn: () => turns.longest(),
    async memory() {
      const bytes = await settledMemory(collect)
      turns.forget()
      return bytes
    },
    reject() {
      void Promise.reject(new Error("a rejection that the attack made", { cause: new Error("its cause") }))
      return 0
    },
    jump({ milliseconds = 0 }) {
      jump(milliseconds)
      return 0
    },
  }
  process.on("message", (question: Question) => {
    void Promise.resolve(values[question.ask](question)).then((value) => process.send?.({ id: question.id, value } satisfies Answer))
  })
  // The channel must not keep the process from ending.
  process.channel?.unref()
}

interface Turns {
  /** Milliseconds; begins again. */
  longest(): number
  /** Leaves out what was used since the last timer. */
  forget(): void
}

function measureTurns(): Turns {
  let [used, longest] = [process.threadCpuUsage(), 0]
  const measure = () => {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, (now.user + now.system - used.user - used.system) / 1000)
    used = now
  }
  setInterval(measure, resolution).unref()
  return {
    longest() {
      measure()
      const value = longest
      longest = 0
      return value
    },
    forget() {
      used = process.threadCpuUsage()
    },
  }
}

/** What is held after several collections: some things are released only in turns after the first. */
async function settledMemory(collect: () => void): Promise<number> {
  for (let count = 0; count < 3; count++) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** A stand-in for faketime: `Date.now` can be moved forwards, which fires timers of a minute and more that are due then. */
function movableClock(): (milliseconds: number) => void {
  const timers = new Map<unknown, { readonly due: number; readonly fire: () => void }>()
  const { setTimeout: start, clearTimeout: stop } = globalThis
  const now = Date.now
  let offset = 0
  Date.now = () => now() + offset
  const startTimer = (callback: (...given: unknown[]) => void, delay = 0, ...args: unknown[]) => {
    if (!(delay >= longTimer)) return start(callback, delay, ...args)
    const fire = () => {
      timers.delete(timer)
      stop(timer)
      callback(...args)
    }
    const timer = start(fire, delay)
    timers.set(timer, { due: Date.now() + delay, fire })
    return timer
  }
  globalThis.setTimeout = Object.assign(startTimer, { [promisify.custom]: promisify(start) }) as unknown as typeof setTimeout
  globalThis.clearTimeout = (timer) => {
    timers.delete(timer)
    stop(timer)
  }
  return (milliseconds) => {
    offset += milliseconds
    // Those that are due now: what they start is for the next jump.
    const due = Array.from(timers.values()).filter((timer) => timer.due <= Date.now())
    for (const { fire } of due) fire()
  }
}
