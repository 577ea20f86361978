import type { Clock } from "@pilothouse/seams"
import type { Resource } from "../resources/resource.ts"
import type { Revision, Storage } from "../storage/storage.ts"
import { stamped } from "./stamped.ts"

interface Due {
  readonly revision: Revision
  readonly at: number
}

/** How long a storage that could not take the removals is left alone. */
const pause = 10_000
/** Removals at a time. The next ones have a timer of their own, before which sockets have their turn. */
const batch = 500

/**
 * Removes objects of a kind so long after their last write; watchers see them go.
 *
 * Invariant: `due` has one entry for each object there is, by key, in the order of time (every write waits equally long, and moves its object to
 * the end), and one timer runs for its head, or none when it is empty. An entry leaves when the storage says that its object is gone, so one whose
 * removal the storage did not take is still the head.
 */
export function expireAfterWrite(
  storage: Storage,
  clock: Clock,
  { stored, strategy }: Resource,
  life = strategy.timeToLive ?? 0,
): Disposable {
  const due = new Map<string, Due>()
  let timer: Disposable | undefined
  let ended = false

  const arm = (min = 0) => {
    const [head] = due.values()
    if (timer !== undefined || head === undefined) return
    timer = clock.timer(Math.max(min, head.at - clock.elapsed()), "expiry of events", () => void removeDue())
  }
  const removeDue = async () => {
    const refused = await removeOver()
    timer = undefined
    if (ended) return
    // A full disk takes writes again when there is room.
    arm(refused ? pause : 0)
  }
  /** Answers whether the storage refused one of them. */
  const removeOver = async (): Promise<boolean> => {
    const over: [string, Revision][] = []
    for (const [key, { at, revision }] of due) {
      if (at > clock.elapsed() || over.length === batch) break
      over.push([key, revision])
    }
    // At once: where the storage is a disk, they share a sync.
    const removals = await Promise.allSettled(over.map(([key, revision]) => remove(storage, key, revision)))
    return removals.some(({ status }) => status === "rejected")
  }
  const add = (key: string, revision: Revision, age = 0) => {
    due.delete(key)
    due.set(key, { revision, at: clock.elapsed() + life - age })
  }
  const existing = storage
    .list(stored.prefix)
    .items.map(({ key, revision, written }) => ({ key, revision, age: ageOf(written, clock, life) }))
  for (const { key, revision, age } of existing.sort((left, right) => right.age - left.age)) add(key, revision, age)
  arm()
  const watching = storage.watch(stored.prefix, storage.revision, ({ type, key, revision }) => {
    if (type === "put") add(key, revision)
    else due.delete(key)
    arm()
  })
  return {
    [Symbol.dispose]() {
      watching[Symbol.dispose]()
      timer?.[Symbol.dispose]()
      due.clear()
      ended = true
    },
  }
}

/** What a storage kept through a restart has lived already. A clock that has gone back gives it a new life, not a longer one. */
function ageOf(written: number | undefined, clock: Clock, life: number): number {
  return written === undefined ? 0 : Math.min(Math.max(0, clock.now() - written), life)
}

/** One that was written again meanwhile has another revision, and stays. */
async function remove(storage: Storage, key: string, revision: Revision): Promise<void> {
  const current = storage.get(key)
  if (current?.revision !== revision) return
  await storage.commit([{ key, expected: revision, deletes: true, make: (next) => stamped(current.value, next) }])
}
