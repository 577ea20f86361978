/** Reports whether two JSON values say the same. The order of keys is of no account, and a field that is undefined is one that is absent. */
export function deepEqual(a: unknown, b: unknown): boolean {
  // Most comparisons are between an object and itself, or its copy with shared parts: the cache hands out the same object.
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (Array.isArray(a)) return Array.isArray(b) && listsEqual(a, b)
  return !Array.isArray(b) && mapsEqual(a as JsonMap, b as JsonMap)
}

type JsonMap = Readonly<Record<string, unknown>>

function listsEqual(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false
  return true
}

function mapsEqual(a: JsonMap, b: JsonMap): boolean {
  let present = 0
  for (const key of Object.keys(a)) {
    const value = a[key]
    if (value === undefined) continue
    // What b only inherits ("constructor", "__proto__") may equal by chance; then the counts differ.
    if (!deepEqual(value, b[key])) return false
    present++
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined) present--
  return present === 0
}
