import { resourceVersionTooLarge } from "@pilothouse/api"
import { onAbort } from "@pilothouse/seams"
import type { Call } from "../server/call.ts"
import type { Revision } from "../storage/storage.ts"

/** How long a read waits for a revision that is still to come. */
const patience = 3000

/** Ends when the store has reached the revision, which is at once in all but rare cases. */
export async function waitForRevision(call: Call, revision: Revision): Promise<void> {
  const { storage } = call.server
  if (revision <= storage.revision) return
  if (!(await comesInTime(call, revision))) throw resourceVersionTooLarge(String(revision), String(storage.revision))
}

async function comesInTime({ server: { storage, clock }, signal }: Call, revision: Revision): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  // Callbacks only settle the promise: one that comes within its own registration, as that of an aborted signal does, leaves nothing behind.
  using held = new DisposableStack()
  held.use(clock.timer(patience, "read of a future resource version", () => resolve(false)))
  held.use(
    storage.watch("/", storage.revision, (change) => {
      if (change.revision >= revision) resolve(true)
    }),
  )
  held.use(onAbort(signal, () => resolve(false)))
  return await promise
}
