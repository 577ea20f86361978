import type { Endpoint } from "../../model/endpoint.ts"
import type { EndpointChange } from "../index/endpoint-index.ts"

interface Entry {
  readonly counts: Map<string, number>
  /** What was last known while there were endpoints: a service that goes to none and back keeps it. */
  known: string | undefined
}

/**
 * Which identities stand behind a service.
 *
 * Invariant: the counts are those of the endpoints that came and did not go.
 */
export class Identities {
  readonly #entries = new Map<string, Entry>()

  /** True when there were identities before and they are others now. */
  change(hostname: string, { gone, came }: EndpointChange): boolean {
    const entry = this.#entries.get(hostname) ?? { counts: new Map<string, number>(), known: undefined }
    this.#entries.set(hostname, entry)
    for (const endpoint of gone) count(entry.counts, endpoint, -1)
    for (const endpoint of came) count(entry.counts, endpoint, 1)
    if (entry.counts.size === 0) return false
    const now = [...entry.counts.keys()].sort().join()
    const before = entry.known
    entry.known = now
    return before !== undefined && before !== now
  }

  forget(hostname: string): void {
    this.#entries.delete(hostname)
  }
}

function count(counts: Map<string, number>, { identity }: Endpoint, by: 1 | -1): void {
  if (identity === "") return
  const now = (counts.get(identity) ?? 0) + by
  if (now <= 0) counts.delete(identity)
  else counts.set(identity, now)
}
