import { type Clock, throwIfAborted } from "@pilothouse/seams"

/** Milliseconds of the main thread that long work takes in one turn of the event loop, all requests together. */
const slice = 25
/** Steps between two readings of the clock: each takes microseconds. */
const stepsPerReading = 32

/** Milliseconds that the stages of one request take together before the next one has a turn of its own: small objects need less than one. */
const stageTime = 10

/** Called between two steps of long work: undefined while the slice lasts, else a promise to wait for before the next step. */
export type Pause = () => Promise<void> | undefined

/**
 * The stages of one request: reading, converting, tracking fields, checking and storing an object of a megabyte take up to 100 ms each. The size of the
 * body does not tell: a patch of ten bytes may change such an object, and a controller in this process sends no bytes.
 */
export interface Stages {
  /** The first stage, or one after a wait, begins now. */
  begin(): void
  /** Between two stages: undefined while they have taken little time, else a promise to wait for before the next one. */
  readonly pause: Pause
}

/**
 * Divides long work into slices, so that sockets and timers have their turn between them. All work of one server shares the slice of a turn: a hundred
 * lists that come at once hold the event loop up no longer than one.
 *
 * Invariant: work that waits goes on in the order it began to wait, one in each turn. Virtual time does not pass while work waits.
 */
export class Turns {
  readonly #clock: Pick<Clock, "elapsed" | "external">
  readonly #waiting: (() => void)[] = []
  /** When the slice of this turn began; undefined before the first step in it. */
  #since: number | undefined
  /** Milliseconds that `spend` counts in this turn. */
  #spent = 0

  constructor(clock: Pick<Clock, "elapsed" | "external">) {
    this.#clock = clock
  }

  /**
   * For work that begins now. What it reads must not change meanwhile: frozen objects, and lists of its own. Its pauses reject when the signal has
   * aborted: no client waits for the rest.
   */
  begin(signal?: AbortSignal): Pause {
    this.#enter()
    let steps = 0
    return () => (++steps % stepsPerReading === 0 && this.#isOver() ? this.#wait(signal) : undefined)
  }

  /** Before work of a millisecond that cannot be divided and may come a thousand times at once: undefined while the slice of this turn lasts. */
  whenFree(signal?: AbortSignal): Promise<void> | undefined {
    return this.#isOver() ? this.#wait(signal) : undefined
  }

  /**
   * Before a step that mostly takes microseconds and may take a hundred milliseconds: undefined until such steps, of which `spend` tells, have taken a slice of
   * this turn together. What else the turn is for, such as other requests or a disk, does not count: cheap steps would wait for it and go on one in each turn.
   */
  whenUnspent(signal?: AbortSignal): Promise<void> | undefined {
    return this.#spent >= slice ? this.#wait(signal) : undefined
  }

  /** Says how many milliseconds such a step has taken. */
  spend(milliseconds: number): void {
    this.#enter()
    this.#spent += milliseconds
  }

  /** For work that takes long and cannot be divided: goes on in a turn of its own. */
  next(signal?: AbortSignal): Promise<void> {
    this.#enter()
    return this.#wait(signal)
  }

  /** Of a request. `isLarge`: the body is, so that every stage has a turn of its own. */
  stages(isLarge: boolean, signal?: AbortSignal): Stages {
    let began = this.#clock.elapsed()
    const begin = () => void (began = this.#clock.elapsed())
    const pause = () => (isLarge || this.#clock.elapsed() - began >= stageTime ? this.next(signal).then(begin) : undefined)
    return { begin, pause }
  }

  #isOver(): boolean {
    return this.#clock.elapsed() - this.#enter() >= slice
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    // A turn of the event loop is no time: virtual time stands still until it is over.
    await this.#clock.external(new Promise<void>((resolve) => void this.#waiting.push(resolve)), "the next turn")
    throwIfAborted(signal)
  }

  /**
   * When the slice of this turn began. An immediate tells when the turn is over: timers will not do, because those that are due are all run before the
   * sockets have their turn.
   */
  #enter(): number {
    if (this.#since !== undefined) return this.#since
    this.#since = this.#clock.elapsed()
    setImmediate(() => {
      this.#since = undefined
      this.#spent = 0
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#enter()
      next()
    })
    return this.#since
  }
}

/** Work in steps. A step that yields a promise goes on with what that comes to. */
export type StepGenerator<T> = Generator<Promise<unknown> | undefined, T, unknown>

/** Takes steps until the end, at once while no pause is due between two of them and none waits. */
export function inTurns<T>(steps: StepGenerator<T>, pause: Pause = () => undefined): T | Promise<T> {
  return resumed(steps, pause, () => steps.next())
}

function resumed<T>(steps: StepGenerator<T>, pause: Pause, resume: () => IteratorResult<Promise<unknown> | undefined, T>): T | Promise<T> {
  for (let step = resume(); ; step = steps.next()) {
    if (step.done === true) return step.value
    if (step.value !== undefined) {
      return step.value.then(
        (value) => resumed(steps, pause, () => steps.next(value)),
        (error: unknown) => resumed(steps, pause, () => steps.throw(error)),
      )
    }
    const others = pause()
    if (others !== undefined) return others.then(() => resumed(steps, pause, () => steps.next()))
  }
}

/** Maps each item, in slices. */
export async function mapInSlices<In, Out>(items: readonly In[], pause: Pause, map: (item: In, index: number) => Out): Promise<Out[]> {
  const made: Out[] = []
  for (const [index, item] of items.entries()) {
    made.push(map(item, index))
    const others = pause()
    if (others !== undefined) await others
  }
  return made
}
