export interface Timer {
  readonly due: number
  /** Order of creation: timers that are due together fire in this order. */
  readonly order: number
  readonly name: string
  readonly fire: () => void
  cancelled: boolean
}

/** A binary heap. Always true between calls: no timer is earlier than its parent, so the earliest stands at index 0. */
export class TimerHeap {
  readonly #timers: Timer[] = []

  push(timer: Timer): void {
    this.#timers.push(timer)
    this.#up(this.#timers.length - 1)
  }

  /** The earliest timer that was not cancelled. */
  peek(): Timer | undefined {
    while (this.#timers[0]?.cancelled) this.#removeFirst()
    return this.#timers[0]
  }

  pop(): Timer | undefined {
    const first = this.peek()
    if (first !== undefined) this.#removeFirst()
    return first
  }

  /** Everything that still waits, earliest first. */
  waiting(): readonly Timer[] {
    return this.#timers.filter((timer) => !timer.cancelled).sort(earlierFirst)
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
