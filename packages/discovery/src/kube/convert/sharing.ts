import { deepEqual } from "@pilothouse/api"

/** Gives an equal value that was seen before in its place, or the value itself. */
export type Share = <T>(place: string, value: T) => T

/** Pods of one owner differ by their zone at most, which their labels name. */
const remembered = 8

/**
 * Pods of one owner have the same labels, owners, ports and probes, and come one after the other: each part is kept once for all of them.
 * Only the last few values of each place are remembered, so this holds on to nothing.
 */
export function sharing(): Share {
  const recent = new Map<string, unknown[]>()
  return <T>(place: string, value: T): T => {
    if (value === undefined) return value
    const known = recent.get(place) ?? []
    for (const one of known) if (deepEqual(one, value)) return one as T
    if (known.unshift(value) > remembered) known.pop()
    recent.set(place, known)
    return value
  }
}

/** Shares nothing: each value stays as it is. */
export const asItIs: Share = (_place, value) => value
