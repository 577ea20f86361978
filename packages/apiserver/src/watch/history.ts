import type { Clock } from "@pilothouse/seams"
import type { Revision, Storage } from "../storage/storage.ts"

/** How long a client may be away and still go on where it was. */
const kept = 5 * 60_000
/** Between two marks; history is cut at marks. */
const step = 30_000

interface Mark {
  readonly time: number
  readonly revision: Revision
}

/**
 * Forgets changes that are older than five minutes. It looks at the clock when something is written, and needs no timer:
 * while nothing is written nothing grows.
 */
export function keepHistory(storage: Storage, clock: Clock): Disposable {
  const marks: Mark[] = []
  return storage.watch("/", storage.revision, ({ revision }) => {
    const now = clock.elapsed()
    const last = marks.at(-1)
    if (last !== undefined && now - last.time < step) return
    // What was written before this moment is at least as old as the mark says.
    marks.push({ time: now, revision: revision - 1 })
    const outdated = marks.findLastIndex(({ time }) => now - time >= kept)
    if (outdated < 0) return
    const [oldest] = marks.splice(0, outdated + 1).slice(-1)
    if (oldest) void Promise.resolve().then(() => storage.compact(oldest.revision))
  })
}
