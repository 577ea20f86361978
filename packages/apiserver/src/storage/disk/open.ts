import { type Clock, type Log, messageOf, PilothouseError, silentLog } from "@pilothouse/seams"
import type { State } from "../state.ts"
import type { Revision, Storage } from "../storage.ts"
import { DescriptorReserve } from "./descriptor-reserve.ts"
import type { Disk, LogFile } from "./disk.ts"
import { DiskStorage, pendingLimit } from "./disk-storage.ts"
import { closed, OwnershipLost, storageClosed, unusable } from "./failures.ts"
import { GroupCommit } from "./group-commit.ts"
import { LogWriter } from "./log-writer.ts"
import { type Repair, recover } from "./recover.ts"
import { SecretErasure } from "./secret-erasure.ts"
import { Segments } from "./segments.ts"
import { Shrinker } from "./shrink.ts"
import type { Snapshot } from "./snapshot.ts"
import { createSystemDisk } from "./system-disk.ts"

/** Options of a storage on a disk. */
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
  /**
   * Whether this process still owns the directory. Called on the main thread after each synced write and before a file is made or removed, so it takes
   * microseconds. Once it answers false nothing is acknowledged any more. By default no other process opens the directory.
   */
  readonly isOwner?: () => boolean
}

const defaultHistory = 5 * 60_000
const defaultSegment = 8 * 1024 * 1024

/** After a crash so many revisions are passed over: more than can have been given out and not be on the disk. */
const gap = 10 * pendingLimit

/** For the next log, for a file that is made whole, and for the directory while its names are synced. */
const spareDescriptors = 3

/** A storage that survives kill -9 and power loss. Ends when all that earlier runs left is read. */
export async function diskStorage(options: DiskStorageOptions): Promise<Storage> {
  const { directory, clock, log = silentLog, history = defaultHistory, historyBytes, segmentBytes = defaultSegment } = options
  const { isOwner = () => true } = options
  const spares = new DescriptorReserve(options.disk === undefined ? spareDescriptors : 0)
  const disk = externalDisk(options.disk ?? createSystemDisk(spares), clock)
  try {
    const recovered = await recover(disk, directory, { aged: clock.now() - history, historyBytes, log })
    for (const repair of recovered.repairs) {
      if (!isOwner()) throw new OwnershipLost("expected this process to be the owner, found that another one has taken over")
      await carryOut(disk, repair, log)
    }
    const { state, snapshot, outdatedSecret } = recovered
    const segments = new Segments({ disk, directory, segmentBytes, isOwner }, recovered.segments, recovered.last)
    const next = recovered.given + 1 + (recovered.clean ? 0 : gap)
    await segments.begin(next)
    return assembled(
      { directory, clock, log, disk, isOwner, worthwhile: segmentBytes },
      { state, next, segments, snapshot, spares, outdatedSecret },
    )
  } catch (error) {
    spares.release()
    throw error instanceof PilothouseError ? error : unusable(directory, error)
  }
}

const tornWrites: Readonly<Record<string, string>> = {
  "after an orderly end": "a write behind the orderly end of the log is not whole, and was never acknowledged: it is cut off",
  "after a crash":
    "the log was not closed in order and ends in the middle of a write, which is cut off: after a crash or a power failure that write was never acknowledged; if the file was cut in another way, acknowledged writes may be missing",
}

async function carryOut(disk: Disk, repair: Repair, log: Log): Promise<void> {
  if ("remove" in repair) return disk.remove(repair.remove)
  const { cut, to, torn } = repair
  if (torn !== undefined) log.warn(tornWrites[torn]!, { file: cut, at: to })
  await disk.truncate(cut, to)
}

interface Surroundings {
  readonly directory: string
  readonly clock: Clock
  readonly log: Log
  readonly disk: Disk
  readonly worthwhile: number
  isOwner(): boolean
}

interface Parts {
  readonly state: State
  readonly next: Revision
  readonly segments: Segments
  readonly snapshot: Snapshot
  readonly spares: DescriptorReserve
  readonly outdatedSecret: Revision
}

function assembled(surroundings: Surroundings, { state, next, segments, snapshot, spares, outdatedSecret }: Parts): Storage {
  const { directory, clock, log, disk, isOwner } = surroundings
  let closing: Promise<void> | undefined
  const writer = new LogWriter({ directory, segments, log, isOwner })
  const { write, failed, lasts } = writer
  const commits = new GroupCommit({ write, turn: () => disk.turn(), failed, lasts })
  const shrinker = new Shrinker({ ...surroundings, state, segments, failed: (cause) => commits.fail(cause) }, snapshot)
  const erasure = new SecretErasure({
    clock,
    rotate: () => {
      segments.rotate()
      void commits.check()
    },
    erase: (revision) => eraseUpTo(revision, { state, segments, shrinker }),
  })
  const closeInOrder = () =>
    segments.close().catch((error: unknown) => {
      log.warn("the orderly end of the storage could not be recorded; nothing is lost", { directory, error: messageOf(error) })
    })
  const close = async () => {
    erasure[Symbol.dispose]()
    await commits.idle()
    await shrinker.stop()
    if (commits.failure === undefined && isOwner()) await closeInOrder()
    await segments.release()
    spares.release()
  }
  if (outdatedSecret > 0) erasure.schedule(outdatedSecret)
  void shrinker.shrink()
  return new DiskStorage({
    state,
    commits,
    next,
    now: () => clock.now(),
    shrink: () => (closing === undefined ? shrinker.shrink() : Promise.resolve()),
    secretOutdated: (revision) => erasure.add(revision),
    refusal: () => commits.end ?? (closing && storageClosed(directory)),
    // Closing first: a full disk is tried again, and nothing may be written behind the end.
    writeRefusal: () => (closing === undefined ? writer.refusal : { reason: closed, lasts: true }),
    close: () => {
      closing ??= close()
      return closing
    },
  })
}

/** Answers whether the log that has the revision is gone, and all before it. */
async function eraseUpTo(
  revision: Revision,
  { state, segments, shrinker }: { state: State; segments: Segments; shrinker: Shrinker },
): Promise<boolean> {
  const holding = segments.old.find(({ last }) => last >= revision)
  // Already removed, or still written where the next log could not be begun.
  if (holding === undefined) return revision <= segments.after
  state.compact(holding.last)
  return shrinker.erase(holding.last)
}

/** A disk that virtual time waits for. */
function externalDisk(disk: Disk, clock: Clock): Disk {
  const external = <T>(work: Promise<T>) => clock.external(work, "storage on disk")
  const externalLog = (file: LogFile): LogFile => ({
    write: (bytes, position) => external(file.write(bytes, position)),
    truncate: (size) => external(file.truncate(size)),
    cut: (size) => external(file.cut(size)),
    close: () => external(file.close()),
  })
  return {
    names: (directory) => external(disk.names(directory)),
    read: (path) => external(disk.read(path)),
    writeWhole: (path, parts, options) => external(disk.writeWhole(path, parts, options)),
    openLog: (path) => external(disk.openLog(path).then(externalLog)),
    truncate: (path, size) => external(disk.truncate(path, size)),
    remove: (path) => external(disk.remove(path)),
    turn: () => external(disk.turn()),
  }
}
