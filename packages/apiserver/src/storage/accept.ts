import type { Conflict, Revision, Stored, Write } from "./storage.ts"

/** The first write whose expectation does not hold against what is there. */
export function conflictIn(writes: readonly Write[], current: (key: string) => Stored | undefined): Conflict | undefined {
  for (const { key, expected } of writes) {
    if (expected === undefined) continue
    const found = current(key)
    if (expected !== (found?.revision ?? 0)) return { ok: false, key, current: found }
  }
  return undefined
}

/** Makes all values before the first is written: one that throws leaves nothing behind. */
export function makeAll(writes: readonly Write[], first: Revision, written?: number): readonly Stored[] {
  return writes.map((write, index) => {
    const stored = { key: write.key, revision: first + index, value: write.make(first + index) }
    return written === undefined ? stored : { ...stored, written }
  })
}
