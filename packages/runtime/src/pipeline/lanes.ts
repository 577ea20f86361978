import { type KubeObject, keyOf } from "@pilothouse/api"
import type { Change } from "../cache/change.ts"
import type { Pausable } from "../controller/controller.ts"
import { Lane } from "./lane.ts"

/**
 * The lanes of one handler, by the key of the object.
 *
 * Always true between calls: there is a lane exactly for the keys that have something to be told, in hand, or failed; the source is held exactly
 * while in a lane as many deletions wait as may; of those that failed as many again are remembered, and hold nothing.
 */
export class Lanes {
  readonly #depth: number
  readonly #lanes = new Map<string, Lane>()
  /** Of the objects that are there. */
  readonly #present = new Set<string>()
  readonly #full = new Set<string>()
  #source: Pausable | undefined
  #held: Disposable | undefined

  constructor(depth: number) {
    this.#depth = depth
  }

  get size(): number {
    return this.#lanes.size
  }

  /** Everything that may be looked at again. */
  get keys(): readonly string[] {
    return [...new Set([...this.#present, ...this.#lanes.keys()])]
  }

  attached(source: Pausable): void {
    this.#source = source
  }

  restart(): void {
    this.#lanes.clear()
    this.#present.clear()
    this.#full.clear()
    this.#room()
  }

  heard(change: Change<KubeObject>): void {
    const key = keyOf(change.object)
    if (change.type === "deleted") this.#present.delete(key)
    else this.#present.add(key)
    const lane = this.#lanes.get(key) ?? new Lane(this.#depth)
    this.#lanes.set(key, lane)
    lane.heard(change)
    this.#changed(key, lane)
  }

  /** The lane of a key; a new one where there is nothing to tell yet. */
  of(key: string): Lane {
    const known = this.#lanes.get(key)
    if (known !== undefined) return known
    const made = new Lane(this.#depth)
    this.#lanes.set(key, made)
    return made
  }

  /** To be called after a lane was changed. */
  changed(key: string): void {
    const lane = this.#lanes.get(key)
    if (lane !== undefined) this.#changed(key, lane)
  }

  #changed(key: string, lane: Lane): void {
    if (lane.depth >= this.#depth) this.#full.add(key)
    else this.#full.delete(key)
    if (lane.isEmpty) this.#lanes.delete(key)
    this.#room()
  }

  #room(): void {
    if (this.#full.size > 0) this.#held ??= this.#source?.hold()
    else {
      const held = this.#held
      this.#held = undefined
      // Last: what waits is told at once, and may fill a lane again.
      held?.[Symbol.dispose]()
    }
  }
}
