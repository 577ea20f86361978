import { type Descriptor, resourceNameOf } from "@pilothouse/api"
import { abortable, type Clock, type Log } from "@pilothouse/seams"
import type { Informers } from "../cache/informers.ts"

/** Milliseconds between warnings about a cache that has not synced: most often its kind is not served, or may not be listed. */
const warnInterval = 30_000

export interface UntilSyncedOptions {
  readonly controller: string
  readonly kinds: readonly Descriptor[]
  readonly informers: Informers
  readonly clock: Clock
  readonly log: Log
}

/** WaitForCacheSync: resolves when the caches of these kinds have synced, or when the signal aborts. Logs every 30 s which have not; there is no CacheSyncTimeout. */
export async function untilSynced({ controller, kinds, informers, clock, log }: UntilSyncedOptions, signal: AbortSignal): Promise<void> {
  const missing = () => kinds.filter((kind) => !informers.of(kind).hasSynced).map(resourceNameOf)
  if (missing().length === 0) return
  let timer: Disposable
  const arm = () => {
    timer = clock.timer(warnInterval, `caches of ${controller}`, () => {
      log.warn("a controller waits for caches that have not synced yet", { controller, missing: missing() })
      arm()
    })
  }
  arm()
  try {
    // The caller checks the signal.
    await abortable(Promise.all(kinds.map((kind) => informers.of(kind).synced())), signal).catch(() => {})
  } finally {
    timer![Symbol.dispose]()
  }
}
