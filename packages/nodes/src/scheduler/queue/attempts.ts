import type { Pod } from "@pilothouse/api/core/v1"
import type { Change, CustomOperation } from "@pilothouse/runtime"
import { isWaiting, type SchedulerNames } from "../pod/waiting-pods.ts"
import type { FilterName } from "./filter-name.ts"

/** Records that every node refused a pod, and why: so that only changes that may help enqueue its key. */
export interface NoteRefusal extends CustomOperation {
  readonly do: "note-refusal"
  readonly uid: string
  /** Of the pod. */
  readonly priority: number
  /** The filters that refused some node; none: there was no node, or no node was the reason. */
  readonly by: readonly FilterName[]
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The last attempt at a pod that was refused. */
export interface Attempt {
  /** Of the pod. */
  readonly key: string
  readonly priority: number
  readonly count: number
  readonly by: ReadonlySet<FilterName>
  readonly at: number
}

const firstBackoff = 1000
const maxBackoff = 10_000

/** When a pod that was refused may be tried again while others wait for their first try: after 1 s, 2 s, 4 s, at most 10 s. */
export function backsOffUntil({ count, at }: Attempt): number {
  return at + Math.min(firstBackoff * 2 ** (count - 1), maxBackoff)
}

/**
 * The pods that wait for a node, and their attempts so far.
 * Invariant between calls: #waiting has the pods that the cache shows waiting, #tried only pods that are among them, and #refused the same
 * tries under each name that they have.
 */
export class Attempts {
  readonly #waiting = new Set<string>()
  readonly #tried = new Map<string, Attempt>()
  /** The same by filter: a pod that comes or goes must not cost a walk over all that wait. */
  readonly #refused = new Map<FilterName, Set<Attempt>>()
  readonly #schedulers: SchedulerNames | undefined

  /** Of pods that name one of these schedulers; the default one alone where none is given. */
  constructor(schedulers?: SchedulerNames) {
    this.#schedulers = schedulers
  }

  restart(): void {
    this.#waiting.clear()
    this.#tried.clear()
    this.#refused.clear()
  }

  podChanged(change: Change<Pod>): void {
    const uid = change.object.metadata.uid ?? ""
    if (change.type !== "deleted" && isWaiting(change.object, this.#schedulers)) this.#waiting.add(uid)
    else {
      this.#waiting.delete(uid)
      this.#forget(uid)
    }
  }

  note({ uid, to: key, priority, by, at }: NoteRefusal): void {
    if (!this.#waiting.has(uid)) return
    const attempt: Attempt = { key, priority, count: (this.#tried.get(uid)?.count ?? 0) + 1, by: new Set(by), at }
    this.#forget(uid)
    this.#tried.set(uid, attempt)
    for (const name of by) {
      const known = this.#refused.get(name)
      if (known === undefined) this.#refused.set(name, new Set([attempt]))
      else known.add(attempt)
    }
  }

  isWaiting(uid: string): boolean {
    return this.#waiting.has(uid)
  }

  hasRefused(name: FilterName): boolean {
    return (this.#refused.get(name)?.size ?? 0) > 0
  }

  /** Keys of the pods that one of these refused, the highest priority first; of all refused pods where no filter is named. */
  refusedBy(names: readonly FilterName[]): readonly string[] {
    if (names.length === 0) return mostImportantFirst([...this.#tried.values()])
    return mostImportantFirst([...new Set(names.flatMap((name) => [...(this.#refused.get(name) ?? [])]))])
  }

  of(uid: string): Attempt | undefined {
    return this.#tried.get(uid)
  }

  #forget(uid: string): void {
    const attempt = this.#tried.get(uid)
    if (attempt === undefined) return
    this.#tried.delete(uid)
    for (const name of attempt.by) this.#refused.get(name)?.delete(attempt)
  }

  /** The number of pods that were not tried yet. */
  get untried(): number {
    return this.#waiting.size - this.#tried.size
  }
}

/** Of keys that are enqueued together an idle scheduler takes the first at once; the others are queued by their priority. */
function mostImportantFirst(found: readonly Attempt[]): readonly string[] {
  const keys = found.map(({ key }) => key)
  const at = found.reduce((best, { priority }, one) => (priority > found[best]!.priority ? one : best), 0)
  return at === 0 ? keys : [keys[at]!, ...keys.slice(0, at), ...keys.slice(at + 1)]
}
