import { type AdmissionAttributes, quotaReservations } from "../admission/plugin.ts"
import type { Committed, Conflict, Write } from "../storage/storage.ts"

/** Writes an object together with what it is charged for; tries again when another write has been charged in between. */
export async function commitWithQuota(attributes: AdmissionAttributes, write: Write): Promise<Committed | Conflict> {
  const { storage } = attributes.call.server
  for (;;) {
    const result = await storage.commit([write, ...quotaReservations(attributes)])
    if (result.ok || result.key === write.key) return result
  }
}
