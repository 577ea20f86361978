import { type Kind, kinds } from "../xds/kinds.ts"
import type { Tracked } from "./change-trace.ts"

export interface Work {
  readonly names: ReadonlySet<string>
  readonly forced: ReadonlySet<string>
  readonly traces: readonly Tracked[]
}

const tracesKept = 64

/** What waits to be told to one client: names, each once however often it changed. Bounded by the names that there are. */
export class Pending {
  readonly #work = new Map<Kind, { names: Set<string>; forced: Set<string>; traces: Set<Tracked> }>()

  get size(): number {
    return kinds.reduce((sum, kind) => sum + (this.#work.get(kind)?.names.size ?? 0), 0)
  }

  add(kind: Kind, names: Iterable<string>, trace?: Tracked): void {
    const work = this.#of(kind)
    for (const name of names) work.names.add(name)
    if (trace !== undefined && work.traces.size < tracesKept) work.traces.add(trace)
  }

  force(kind: Kind, names: readonly string[]): void {
    if (names.length === 0) return
    const work = this.#of(kind)
    for (const name of names) {
      work.names.add(name)
      work.forced.add(name)
    }
  }

  take(kind: Kind): Work | undefined {
    const work = this.#work.get(kind)
    this.#work.delete(kind)
    return work && { names: work.names, forced: work.forced, traces: [...work.traces] }
  }

  #of(kind: Kind) {
    const known = this.#work.get(kind) ?? { names: new Set<string>(), forced: new Set<string>(), traces: new Set<Tracked>() }
    this.#work.set(kind, known)
    return known
  }
}
