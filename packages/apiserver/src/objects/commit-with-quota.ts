import { patchContentTypes } from "@pilothouse/api/patch"
import { type AdmissionAttributes, type AdmissionPlugin, quotaReservations } from "../admission/plugin.ts"
import type { ManagedFields } from "../managedfields/object-managed-fields.ts"
import type { Turns } from "../request/turns.ts"
import type { Call } from "../server/call.ts"
import { ObjectTooLarge } from "../storage/object-size.ts"
import type { Committed, Conflict, Storage, Write } from "../storage/storage.ts"

interface CommitServer {
  readonly storage: Storage
  readonly admission: readonly AdmissionPlugin[]
  readonly turns: Pick<Turns, "whenFree">
}

/**
 * Writes an object with its managedFields, or without them where it is too large with them: they describe the object, and must not be in its way. Apply
 * depends on them, and is refused.
 */
export async function commitObject(
  { server, contentType, stages }: Pick<Call, "server" | "contentType" | "stages">,
  attributes: AdmissionAttributes,
  managedFields: readonly ManagedFields[],
  writeWith: (managedFields: readonly ManagedFields[]) => Write,
  companions?: (managedFields: readonly ManagedFields[]) => readonly Write[],
): Promise<Committed | Conflict> {
  const commit = (entries: readonly ManagedFields[]) =>
    commitWithQuota(server, attributes, writeWith(entries), companions && (() => companions(entries)))
  try {
    return await commit(managedFields)
  } catch (error) {
    if (managedFields.length === 0 || !(error instanceof ObjectTooLarge) || contentType === patchContentTypes.apply) throw error
    await stages.pause()
    return commit([])
  }
}

/**
 * Writes an object together with its companions and its quota reservations; tries again when another write has changed one of those in between. Where there are quotas it waits for its
 * turn: one with 10,000 names takes milliseconds to be written, and a hundred creates may come at once.
 */
export async function commitWithQuota(
  { storage, admission, turns }: CommitServer,
  attributes: AdmissionAttributes,
  write: Write,
  companions?: () => readonly Write[],
): Promise<Committed | Conflict> {
  const others = admission.some((plugin) => plugin.countsAgainstQuota?.(attributes)) ? turns.whenFree() : undefined
  if (others !== undefined) await others
  for (;;) {
    const result = await storage.commit([write, ...(companions?.() ?? []), ...quotaReservations(admission, attributes)])
    if (result.ok || result.key === write.key) return result
  }
}
