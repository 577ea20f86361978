/** A timer of a TimerHeap. */
export interface Timer {
  readonly due: number
  /** Order of creation: timers that are due together fire in this order. */
  readonly order: number
  readonly name: string
  readonly fire: () => void
  /** Set by the heap when the timer has left it: fired, or cancelled. */
  gone: boolean
}

/** Fewer cancelled timers than this are not worth clearing out. */
const fewCancelled = 64

/**
 * A binary heap. Invariant between calls: no timer is earlier than its parent, so the earliest stands at index 0;
 * cancelled timers stay inside until they come to the top or are more than half of all, so memory follows those that wait
 * (a request's time limit is cancelled by almost every request).
 */
export class TimerHeap {
  #timers: Timer[] = []
  /** How many of #timers are cancelled. */
  #cancelled = 0

  /** How many timers wait. */
  get size(): number {
    return this.#timers.length - this.#cancelled
  }

  push(timer: Timer): void {
    this.#timers.push(timer)
    this.#up(this.#timers.length - 1)
  }

  /** It never comes out again. Nothing happens when it has come out already. */
  cancel(timer: Timer): void {
    if (timer.gone) return
    timer.gone = true
    this.#cancelled++
    if (this.#cancelled > fewCancelled && this.#cancelled > this.#timers.length / 2) this.#clearOut()
  }

  /** The earliest timer that was not cancelled. */
  peek(): Timer | undefined {
    while (this.#timers[0]?.gone) {
      this.#removeFirst()
      this.#cancelled--
    }
    return this.#timers[0]
  }

  pop(): Timer | undefined {
    const first = this.peek()
    if (first === undefined) return undefined
    this.#removeFirst()
    first.gone = true
    return first
  }

  /** Everything that still waits, earliest first. */
  waiting(): readonly Timer[] {
    return this.#timers.filter((timer) => !timer.gone).sort(earlierFirst)
  }

  /** A sorted array is a heap. */
  #clearOut(): void {
    this.#timers = [...this.waiting()]
    this.#cancelled = 0
  }

  #removeFirst(): void {
    const last = this.#timers.pop()
    if (last === undefined || this.#timers.length === 0) return
    this.#timers[0] = last
    this.#down(0)
  }

  #up(from: number): void {
    const timers = this.#timers
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (earlierFirst(timers[at]!, timers[parent]!) >= 0) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #down(from: number): void {
    const timers = this.#timers
    let at = from
    for (;;) {
      const left = 2 * at + 1
      if (left >= timers.length) return
      const right = left + 1
      const earlier = right < timers.length && earlierFirst(timers[right]!, timers[left]!) < 0 ? right : left
      if (earlierFirst(timers[earlier]!, timers[at]!) >= 0) return
      this.#swap(at, earlier)
      at = earlier
    }
  }

  #swap(a: number, b: number): void {
    const timers = this.#timers
    const kept = timers[a]!
    timers[a] = timers[b]!
    timers[b] = kept
  }
}

function earlierFirst(a: Timer, b: Timer): number {
  return a.due - b.due || a.order - b.order
}
