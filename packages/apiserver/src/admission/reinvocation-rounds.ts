import { deepEqual } from "@pilothouse/api"
import type { AdmissionAttributes, Reinvocation } from "./plugin.ts"

/**
 * What mutating webhooks or policies remember between the rounds of a write.
 *
 * Invariant: `eligible` are those that may run again and have not since the object last changed; `again` are those that must.
 */
export interface Rounds {
  eligible: Set<string>
  readonly again: Set<string>
  /** The object as the last round left it; undefined where none is eligible, and so no change of it matters. */
  last: unknown
}

/** Returns what a plugin remembers of the rounds of a write. */
export function roundsOf({ memory }: Reinvocation, plugin: string): Rounds {
  const known = memory.get(plugin) as Rounds | undefined
  const rounds = known ?? { eligible: new Set<string>(), again: new Set<string>(), last: undefined }
  memory.set(plugin, rounds)
  return rounds
}

/** Lets all that may run again do so: the object has changed since. */
export function requireEligible(rounds: Rounds): void {
  for (const uid of rounds.eligible) rounds.again.add(uid)
  rounds.eligible = new Set()
}

/** Ends a round. A copy is made only where someone may run again: it costs as much as the rest of admission. */
export function endRound(rounds: Rounds, { object }: Pick<AdmissionAttributes, "object">): void {
  rounds.last = rounds.eligible.size === 0 || object === undefined ? undefined : structuredClone(object)
}

/** Begins the second round: plugins of this server may have changed the object since the first. */
export function beginSecondRound(rounds: Rounds, { object }: Pick<AdmissionAttributes, "object">): void {
  if (rounds.eligible.size > 0 && !deepEqual(rounds.last, object)) requireEligible(rounds)
}
