import { type Log, messageOf } from "@pilothouse/seams"
import type { Change, Forgotten, Revision } from "./storage.ts"

type Sink = (change: Change) => void

/**
 * The watchers by prefix of the keys. A change visits only the watchers of its own prefixes: a thousand watchers of Pods cost a Lease nothing.
 *
 * Invariant: no prefix has an empty set; no sink is called after it has thrown. `#forgotten` has those too:
 * they may still keep what they were shown before; it has none that is disposed of, and none that has thrown there.
 */
export class Watchers {
  readonly #sinks = new Map<string, Set<Sink>>()
  readonly #forgotten = new Map<Sink, { readonly prefix: string; readonly forgotten: Forgotten }>()
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  add(prefix: string, sink: Sink, forgotten?: Forgotten): Disposable {
    // A function of its own, so that the same sink can be registered twice.
    const entry: Sink = (change) => sink(change)
    const set = this.#sinks.get(prefix) ?? new Set()
    this.#sinks.set(prefix, set.add(entry))
    if (forgotten !== undefined) this.#forgotten.set(entry, { prefix, forgotten })
    return { [Symbol.dispose]: () => this.#remove(prefix, entry) }
  }

  /** Never throws: the change is stored already, and neither its writer nor the other watchers can help a sink that fails. */
  notify(change: Change): void {
    if (this.#sinks.size === 0) return
    for (let slash = change.key.indexOf("/"); slash >= 0; slash = change.key.indexOf("/", slash + 1)) {
      const prefix = change.key.slice(0, slash + 1)
      for (const sink of this.#sinks.get(prefix) ?? []) this.#notifyOne(prefix, sink, change)
    }
  }

  /** Never throws, as above. Seldom: a look at every watcher costs nothing beside the cut. */
  notifyForgotten(compacted: Revision): void {
    for (const [sink, { prefix, forgotten }] of this.#forgotten) {
      try {
        forgotten(compacted)
      } catch (error) {
        this.#remove(prefix, sink)
        this.#log.error("a watch of the storage failed and was ended", { prefix, compacted, error: messageOf(error) })
      }
    }
  }

  #notifyOne(prefix: string, sink: Sink, change: Change): void {
    try {
      sink(change)
    } catch (error) {
      // It has missed a change, and whatever it made of later ones would be wrong.
      this.#stop(prefix, sink)
      const { key, revision } = change
      this.#log.error("a watch of the storage failed and was ended", { prefix, key, revision, error: messageOf(error) })
    }
  }

  #remove(prefix: string, sink: Sink): void {
    this.#forgotten.delete(sink)
    this.#stop(prefix, sink)
  }

  #stop(prefix: string, sink: Sink): void {
    const set = this.#sinks.get(prefix)
    if (set?.delete(sink) && set.size === 0) this.#sinks.delete(prefix)
  }
}
