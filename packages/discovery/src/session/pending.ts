import { type Kind, kinds } from "../xds/kinds.ts"
import type { Tracked } from "./change-trace.ts"

/** What a session has to send next. */
export interface Work {
  /** Each once. */
  readonly names: Iterable<string>
  /** Sent even if the client has them; undefined for none. */
  readonly forced: ReadonlySet<string> | undefined
  readonly traces: readonly Tracked[]
}

interface Waiting {
  /** Nearly always one: a set is made only for more. */
  names: readonly [string] | Set<string>
  forced: Set<string> | undefined
  traces: readonly Tracked[]
}

const tracesKept = 64
const none: readonly Tracked[] = Object.freeze([])

/** What waits to be sent to one client: names, each once however often it changed. Bounded by the names that there are. */
export class Pending {
  readonly #work: Partial<Record<Kind, Waiting | undefined>> = {}

  get size(): number {
    return kinds.reduce((sum, kind) => sum + countOf(this.#work[kind]), 0)
  }

  add(kind: Kind, name: string, trace?: Tracked): void {
    const work = this.#with(kind, name)
    if (trace === undefined || work.traces.length >= tracesKept || work.traces.includes(trace)) return
    work.traces = work.traces.length === 0 ? trace.alone : [...work.traces, trace]
  }

  force(kind: Kind, names: readonly string[]): void {
    for (const name of names) {
      const work = this.#with(kind, name)
      work.forced ??= new Set()
      work.forced.add(name)
    }
  }

  has(kind: Kind): boolean {
    return this.#work[kind] !== undefined
  }

  /** The client has unsubscribed from them. */
  drop(kind: Kind, names: readonly string[]): void {
    const work = this.#work[kind]
    if (work === undefined) return
    if (work.names instanceof Set) {
      for (const name of names) {
        work.names.delete(name)
        work.forced?.delete(name)
      }
      if (work.names.size === 0) this.#work[kind] = undefined
    } else if (names.includes(work.names[0])) this.#work[kind] = undefined
  }

  /** At most so many names; the changes behind them go with the last. */
  take(kind: Kind, max = Number.POSITIVE_INFINITY): Work | undefined {
    const work = this.#work[kind]
    if (work?.names instanceof Set && work.names.size > max) return takePart(work.names, work.forced, max)
    this.#work[kind] = undefined
    return work
  }

  #with(kind: Kind, name: string): Waiting {
    const work = this.#work[kind]
    if (work === undefined) {
      const made: Waiting = { names: [name], forced: undefined, traces: none }
      this.#work[kind] = made
      return made
    }
    if (work.names instanceof Set) work.names.add(name)
    else if (work.names[0] !== name) work.names = new Set([work.names[0], name])
    return work
  }
}

function takePart(names: Set<string>, forced: Set<string> | undefined, max: number): Work {
  const part = [...names.values().take(max)]
  for (const name of part) names.delete(name)
  return { names: part, forced: new Set(part.filter((name) => forced?.delete(name))), traces: none }
}

function countOf(work: Waiting | undefined): number {
  if (work === undefined) return 0
  return work.names instanceof Set ? work.names.size : 1
}
