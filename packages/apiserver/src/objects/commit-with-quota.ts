import { type AdmissionAttributes, type AdmissionPlugin, quotaReservations } from "../admission/plugin.ts"
import type { Committed, Conflict, Storage, Write } from "../storage/storage.ts"

interface CommitServer {
  readonly storage: Storage
  readonly admission: readonly AdmissionPlugin[]
}

/** Writes an object together with its quota reservations; tries again when another write has reserved in between. */
export async function commitWithQuota(
  { storage, admission }: CommitServer,
  attributes: AdmissionAttributes,
  write: Write,
): Promise<Committed | Conflict> {
  for (;;) {
    const result = await storage.commit([write, ...quotaReservations(admission, attributes)])
    if (result.ok || result.key === write.key) return result
  }
}
