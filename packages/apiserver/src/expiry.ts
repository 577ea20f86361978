import type { Clock } from "@pilothouse/seams"
import { stamped } from "./objects/metadata.ts"
import type { Resource } from "./resources/resource.ts"
import type { Revision, Storage } from "./storage/storage.ts"

interface Due {
  readonly key: string
  readonly revision: Revision
  readonly at: number
}

/** How long a storage that could not take the removals is left alone. */
const pause = 10_000

/**
 * Removes objects of a kind so long after their last write; watchers see them go.
 *
 * Always true between calls: `due` is in the order of time (every write waits equally long), and one timer runs for its head, or none when it is
 * empty. What its timer has begun to remove is in `due` no more; it comes back where the storage did not take that, and the next timer starts then.
 */
export function expireAfterWrite(
  storage: Storage,
  clock: Clock,
  { stored, special }: Resource,
  life = special.timeToLive ?? 0,
): Disposable {
  let due: Due[] = []
  let timer: Disposable | undefined
  let ended = false

  const arm = (least = 0) => {
    const head = due[0]
    if (timer !== undefined || head === undefined) return
    timer = clock.timer(Math.max(least, head.at - clock.elapsed()), "expiry of events", () => void removeDue())
  }
  const removeDue = async () => {
    const left = await removeOver()
    timer = undefined
    if (ended) return
    // A full disk takes writes again when there is room.
    due = [...left, ...due]
    arm(left.length > 0 ? pause : 0)
  }
  /** Answers with those that are still there. */
  const removeOver = async (): Promise<readonly Due[]> => {
    const later = due.findIndex(({ at }) => at > clock.elapsed())
    const over = due.splice(0, later < 0 ? due.length : later)
    // At once: where the storage is a disk, they share a sync.
    const removals = await Promise.allSettled(over.map(({ key, revision }) => remove(storage, key, revision)))
    return over.filter((_, index) => removals[index]!.status === "rejected")
  }
  const add = (key: string, revision: Revision, age = 0) => {
    due.push({ key, revision, at: clock.elapsed() + life - age })
  }
  for (const { key, revision, written } of storage.list(stored.prefix).items) add(key, revision, ageOf(written, clock, life))
  due.sort((left, right) => left.at - right.at)
  arm()
  const watching = storage.watch(stored.prefix, storage.revision, ({ type, key, revision }) => {
    if (type !== "put") return
    add(key, revision)
    arm()
  })
  return {
    [Symbol.dispose]() {
      watching[Symbol.dispose]()
      timer?.[Symbol.dispose]()
      due = []
      ended = true
    },
  }
}

/** What a storage kept through a restart has lived already. A clock that has gone back gives it a new life, not a longer one. */
function ageOf(written: number | undefined, clock: Clock, life: number): number {
  return written === undefined ? 0 : Math.min(Math.max(0, clock.now() - written), life)
}

/** One that was written again has a later place in the queue, and its revision tells. */
async function remove(storage: Storage, key: string, revision: Revision): Promise<void> {
  const current = storage.get(key)
  if (current?.revision !== revision) return
  await storage.commit([{ key, expected: revision, deletes: true, make: (next) => stamped(current.value, next) }])
}
