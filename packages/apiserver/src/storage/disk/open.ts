import { type Clock, type Log, PilothouseError, silentLog } from "@pilothouse/seams"
import type { State } from "../state.ts"
import type { Revision, Storage } from "../storage.ts"
import type { Disk } from "./disk.ts"
import { DiskStorage, pendingLimit } from "./disk-storage.ts"
import { externalDisk } from "./external-disk.ts"
import { closed, storageClosed, unusable } from "./failures.ts"
import { GroupCommit } from "./group-commit.ts"
import { LogWriter } from "./log-writer.ts"
import { type Repair, recover } from "./recover.ts"
import { Segments } from "./segments.ts"
import { Shrinker } from "./shrink.ts"
import { systemDisk } from "./system-disk.ts"

export interface DiskStorageOptions {
  /** Made when it is absent. Nothing else may be in it, and one process at a time may have it open. */
  readonly directory: string
  readonly clock: Clock
  readonly log?: Log
  /** Milliseconds of changes that are known again after a restart. */
  readonly history?: number
  /** Bytes of memory that they may hold; above that the oldest go before their time. */
  readonly historyBytes?: number
  readonly disk?: Disk
  /** When a log is long enough for a new one. */
  readonly segmentBytes?: number
}

const usualHistory = 5 * 60_000
const usualSegment = 8 * 1024 * 1024

/** After a crash so many revisions are passed over: more than can have been given out and not be on the disk. */
const gap = 10 * pendingLimit

/** A storage that survives kill -9 and power loss. Ends when all that earlier runs left is read. */
export async function diskStorage(options: DiskStorageOptions): Promise<Storage> {
  const { directory, clock, log = silentLog, history = usualHistory, historyBytes, segmentBytes = usualSegment } = options
  const disk = externalDisk(options.disk ?? systemDisk, clock)
  try {
    const recovered = await recover(disk, directory, { aged: clock.now() - history, historyBytes, log })
    for (const repair of recovered.repairs) await carryOut(disk, repair, log)
    const { state } = recovered
    const segments = new Segments({ disk, directory, segmentBytes }, recovered.segments, recovered.last)
    const next = recovered.given + 1 + (recovered.clean ? 0 : gap)
    await segments.begin(next)
    const shrinker = new Shrinker({ disk, directory, state, segments, log, worthwhile: segmentBytes }, recovered.snapshot)
    const storage = assembled(options, { disk, log, state, next, segments, shrinker })
    void shrinker.shrink()
    return storage
  } catch (error) {
    throw error instanceof PilothouseError ? error : unusable(directory, error)
  }
}

async function carryOut(disk: Disk, repair: Repair, log: Log): Promise<void> {
  if ("remove" in repair) return disk.remove(repair.remove)
  const { cut, to, torn } = repair
  if (torn) log.warn("the last write before a crash is not whole, and was never acknowledged: it is cut off", { file: cut, at: to })
  await disk.truncate(cut, to)
}

interface Parts {
  readonly disk: Disk
  readonly log: Log
  readonly state: State
  readonly next: Revision
  readonly segments: Segments
  readonly shrinker: Shrinker
}

function assembled({ directory, clock }: DiskStorageOptions, { disk, log, state, next, segments, shrinker }: Parts): Storage {
  let closing: Promise<void> | undefined
  const writer = new LogWriter({ directory, segments, log })
  const { write, failed, lasts } = writer
  const commits = new GroupCommit({ write, turn: () => disk.turn(), failed, lasts })
  const close = async () => {
    await commits.idle()
    await shrinker.stop()
    if (commits.failure === undefined) await segments.close()
  }
  return new DiskStorage({
    state,
    commits,
    next,
    now: () => clock.now(),
    shrink: () => (closing === undefined ? shrinker.shrink() : Promise.resolve()),
    refusal: () => commits.end ?? (closing && storageClosed(directory)),
    // Closing first: a full disk is tried again, and nothing may be written behind the end.
    writeRefusal: () => (closing === undefined ? writer.refusal : { reason: closed, lasts: true }),
    close: () => {
      closing ??= close()
      return closing
    },
  })
}
