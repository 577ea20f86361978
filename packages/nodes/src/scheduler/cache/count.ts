/** One more or one less; what is not there any more is not counted either. */
export function count<Key>(counts: Map<Key, number>, key: Key, change: 1 | -1): void {
  const now = (counts.get(key) ?? 0) + change
  if (now === 0) counts.delete(key)
  else counts.set(key, now)
}
