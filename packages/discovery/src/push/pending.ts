import { type Kind, kinds } from "../xds/kinds.ts"
import type { Tracked } from "./change-trace.ts"

export interface Work {
  readonly names: ReadonlySet<string>
  /** Sent even if the client has them; undefined for none. */
  readonly forced: ReadonlySet<string> | undefined
  readonly traces: readonly Tracked[]
}

interface Waiting {
  readonly names: Set<string>
  forced: Set<string> | undefined
  readonly traces: Tracked[]
}

const tracesKept = 64

/** What waits to be told to one client: names, each once however often it changed. Bounded by the names that there are. */
export class Pending {
  readonly #work = new Map<Kind, Waiting>()

  get size(): number {
    return kinds.reduce((sum, kind) => sum + (this.#work.get(kind)?.names.size ?? 0), 0)
  }

  add(kind: Kind, names: Iterable<string>, trace?: Tracked): void {
    const work = this.#of(kind)
    for (const name of names) work.names.add(name)
    if (trace !== undefined && work.traces.length < tracesKept && !work.traces.includes(trace)) work.traces.push(trace)
  }

  force(kind: Kind, names: readonly string[]): void {
    if (names.length === 0) return
    const work = this.#of(kind)
    const forced = work.forced ?? new Set<string>()
    work.forced = forced
    for (const name of names) {
      work.names.add(name)
      forced.add(name)
    }
  }

  take(kind: Kind): Work | undefined {
    const work = this.#work.get(kind)
    this.#work.delete(kind)
    return work
  }

  #of(kind: Kind): Waiting {
    const known = this.#work.get(kind)
    if (known !== undefined) return known
    const made: Waiting = { names: new Set(), forced: undefined, traces: [] }
    this.#work.set(kind, made)
    return made
  }
}
