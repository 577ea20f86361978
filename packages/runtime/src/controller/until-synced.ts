import { type Descriptor, resourceNameOf } from "@pilothouse/api"
import { abortable, type Clock, type Log } from "@pilothouse/seams"
import type { Informers } from "../cache/informers.ts"

/** A cache that takes longer than this is worth a line: most often its kind is not served, or may not be listed. */
const warnInterval = 30_000

export interface UntilSyncedOptions {
  readonly controller: string
  readonly kinds: readonly Descriptor[]
  readonly informers: Informers
  readonly clock: Clock
  readonly log: Log
}

/** Ends when the caches of these kinds are full, or when the signal aborts. Says every 30 s which are not. */
export async function untilSynced({ controller, kinds, informers, clock, log }: UntilSyncedOptions, signal: AbortSignal): Promise<void> {
  const missing = () => kinds.filter((kind) => !informers.of(kind).hasSynced).map(resourceNameOf)
  if (missing().length === 0) return
  let timer: Disposable
  const arm = () => {
    timer = clock.timer(warnInterval, `caches of ${controller}`, () => {
      log.warn("a controller waits for caches that are not full yet", { controller, missing: missing() })
      arm()
    })
  }
  arm()
  try {
    // Who stops asks the signal.
    await abortable(Promise.all(kinds.map((kind) => informers.of(kind).synced())), signal).catch(() => {})
  } finally {
    timer![Symbol.dispose]()
  }
}
