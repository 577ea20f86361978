/**
 * Which sources have endpoints that wait for their pods.
 *
 * Invariant: a source stands here exactly while its last judgement found such endpoints, and it is still there: nothing is held for ever.
 */
export class EndpointsWithoutPod {
  readonly #pods = new Map<string, ReadonlySet<string>>()
  #count = 0

  /** How many endpoints wait. */
  get count(): number {
    return this.#count
  }

  put(source: string, pods: ReadonlySet<string>): void {
    this.#count += pods.size - (this.#pods.get(source)?.size ?? 0)
    if (pods.size === 0) this.#pods.delete(source)
    else this.#pods.set(source, pods)
  }

  of(source: string): ReadonlySet<string> {
    return this.#pods.get(source) ?? noPods
  }
}

const noPods: ReadonlySet<string> = new Set()
