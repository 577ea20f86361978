import { type AdmissionAttributes, type AdmissionPlugin, quotaReservations } from "../admission/plugin.ts"
import type { Turns } from "../request/turns.ts"
import type { Committed, Conflict, Storage, Write } from "../storage/storage.ts"

interface CommitServer {
  readonly storage: Storage
  readonly admission: readonly AdmissionPlugin[]
  readonly turns: Pick<Turns, "whenFree">
}

/**
 * Writes an object together with its quota reservations; tries again when another write has reserved in between. Where there are quotas it waits for its
 * turn: one with 10,000 names takes milliseconds to be written, and a hundred creates may come at once.
 */
export async function commitWithQuota(
  { storage, admission, turns }: CommitServer,
  attributes: AdmissionAttributes,
  write: Write,
): Promise<Committed | Conflict> {
  const others = admission.some((plugin) => plugin.countsAgainstQuota?.(attributes)) ? turns.whenFree() : undefined
  if (others !== undefined) await others
  for (;;) {
    const result = await storage.commit([write, ...quotaReservations(admission, attributes)])
    if (result.ok || result.key === write.key) return result
  }
}
