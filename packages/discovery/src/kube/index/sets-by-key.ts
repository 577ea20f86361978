/** Values by key, as sets. Invariant: no set is empty. */
export type SetsByKey = Map<string, Set<string>>

/** Adds the value to the set of the key. */
export function addTo(sets: SetsByKey, key: string, value: string): void {
  const there = sets.get(key)
  if (there === undefined) sets.set(key, new Set([value]))
  else there.add(value)
}

/** Removes the value from the set of the key, and an empty set with it. */
export function takeFrom(sets: SetsByKey, key: string, value: string): void {
  const there = sets.get(key)
  there?.delete(value)
  if (there?.size === 0) sets.delete(key)
}
