import { keyOf } from "@pilothouse/api"
import { nodes } from "@pilothouse/api/core/v1"
import { type CacheObserver, cacheObserver } from "@pilothouse/runtime"
import { takenBlocks } from "./blocks.ts"
import type { BlockMetrics } from "./metrics.ts"
import type { Range } from "./ranges.ts"

/** Counts the blocks that nodes have, whoever gave them: as the cache shows it. */
export function countBlocks(metrics: BlockMetrics, ranges: readonly Range[]): CacheObserver {
  /** In how many blocks of each range a node is. */
  const known = new Map<string, readonly number[]>()
  const tell = (key: string, now: readonly number[]) => {
    for (const [range, count] of now.entries()) {
      const before = known.get(key)?.[range] ?? 0
      for (let at = before; at < count; at++) metrics.taken(range)
      for (let at = count; at < before; at++) metrics.released(range)
    }
    known.set(key, now)
  }
  const none = ranges.map(() => 0)
  return cacheObserver(nodes, {
    restart() {
      for (const key of known.keys()) tell(key, none)
      known.clear()
    },
    changed({ type, object }) {
      const key = keyOf(object)
      tell(key, type === "deleted" ? none : ranges.map((range) => takenBlocks(object, [range]).length))
      if (type === "deleted") known.delete(key)
    },
  })
}
