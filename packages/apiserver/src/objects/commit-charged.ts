import { type Admitting, chargesOf } from "../admission/plugin.ts"
import type { Committed, Conflict, Write } from "../storage/storage.ts"

/** Writes an object together with what it is charged for; tries again when another write has been charged in between. */
export async function commitCharged(admitting: Admitting, write: Write): Promise<Committed | Conflict> {
  const { storage } = admitting.call.server
  for (;;) {
    const result = await storage.commit([write, ...chargesOf(admitting)])
    if (result.ok || result.key === write.key) return result
  }
}
