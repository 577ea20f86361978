import type { KubeObject } from "@pilothouse/api"
import { diskStorage, type Revision, type Storage } from "@pilothouse/apiserver"
import { type Clock, type Random, silentLog } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { Copy, type Said } from "./copy.ts"
import { cutsOfLastFrame } from "./cut-last-frame.ts"
import { type Image, MemoryDisk, type MemoryDiskOptions } from "./memory-disk.ts"

const directory = "/storage"
/** Values below this key are erased from the disk when they are no longer current. */
const secrets = "/registry/secrets/"
const writers = 3
/** Calls to the disk until the power fails: enough for a few logs and a snapshot. */
const maxLife = 120

/** Turns of the event loop after which outdated values of Secrets are erased, instead of five minutes. */
const maxErasureDelay = 20
/** Commits after which a writer closes the storage, in every other run of it. */
const longestRun = 15

export interface PowerLoss {
  readonly acknowledged: number
  /** Orderly ends before the power failed. */
  readonly closes: number
  /** Values of Secrets that were acknowledged and replaced or deleted before the power failed, and were erased after it. */
  readonly erased: number
  /** Places at which the last frame was cut. */
  readonly cuts: number
}

/**
 * A storage in memory, on a disk whose power fails in the middle of any call: unsynced changes and parts of the last write are lost in any order. Each round goes
 * on where the one before left the disk; then the last frame is cut at every byte.
 */
export function powerLossRounds(random: Random, options: Pick<MemoryDiskOptions, "lies"> = {}) {
  const copy = new Copy()
  let image: Image = new Map()
  return async (): Promise<PowerLoss> => {
    const disk = new MemoryDisk(image, { ...options, random, failAt: random.int(maxLife) })
    const acknowledged: Said[] = []
    let closes = 0
    const writing = writeUntilFailure(disk, random, {
      see: (said) => copy.see(said),
      acknowledge: (said) => acknowledged.push(said),
      close: () => closes++,
    })
    await Promise.race([disk.failed, writing])
    // What was acknowledged before the failure is known in this turn.
    await disk.turn()
    image = disk.image()
    for (const said of acknowledged) copy.remember(said)
    const after = new MemoryDisk(image, { random })
    const storage = await opened(after, random)
    copy.resume(storage, acknowledged)
    const erased = await checkErasure(after, storage, acknowledged)
    return { acknowledged: acknowledged.length, closes, erased, cuts: await cutsOfLastFrame(image, directory, acknowledged, random) }
  }
}

interface Listener {
  see(said: Said): void
  acknowledge(said: Said): void
  /** The storage was closed in order. */
  close(): void
}

function opened(disk: MemoryDisk, random: Random): Promise<Storage> {
  return diskStorage({ directory, clock: turnClock(random, disk), log: silentLog, disk, segmentBytes: 4000, historyBytes: 20_000 })
}

/**
 * The system's clock, with timers that count turns of the event loop: calls to the disk take turns too, so a seed gives the same order each time. They stop
 * with the disk: its storage is left behind as its process would be, and would try to erase for as long as the soak runs.
 */
function turnClock(random: Random, disk: MemoryDisk): Clock {
  let isDead = false
  void disk.failed.then(() => {
    isDead = true
  })
  return {
    ...systemClock,
    timer(_milliseconds, _name, fire) {
      let turns = 1 + random.int(maxErasureDelay)
      const step = () => {
        if (isDead) return
        turns--
        if (turns === 0) fire()
        else if (turns > 0) setImmediate(step)
      }
      setImmediate(step)
      return {
        [Symbol.dispose]() {
          turns = 0
        },
      }
    },
  }
}

/** Never ends: the disk answers nothing after its failure. */
async function writeUntilFailure(disk: MemoryDisk, random: Random, listener: Listener): Promise<void> {
  for (;;) {
    const storage = await opened(disk, random)
    storage.watch("/", storage.revision, ({ type, key, revision, value }) =>
      listener.see({ revision, type, key, name: value.metadata.name ?? "" }),
    )
    const keys = Array.from({ length: writers }, (_, writer) => `${writer === 0 ? secrets : `/w${writer}/`}${random.int(12)}`)
    let commits = random.int(2) === 0 ? Number.POSITIVE_INFINITY : random.int(longestRun)
    let closing: Promise<void> | undefined
    const acknowledge = (said: Said) => {
      listener.acknowledge(said)
      // While the other writers still write.
      if (commits-- <= 0) closing ??= storage.close()
    }
    await Promise.all(keys.map((key) => write(storage, key, random, { ...listener, acknowledge }).catch(unlessClosed)))
    await closing
    listener.close()
  }
}

function unlessClosed(error: unknown): void {
  if (!(error instanceof Error && error.message.includes("is closed and takes no more writes"))) throw error
}

/** Values of Secrets that are not current leave every file. Returns how many there were. */
async function checkErasure(disk: MemoryDisk, storage: Storage, acknowledged: readonly Said[]): Promise<number> {
  const outdated = acknowledged.filter(({ key, type, revision }) => {
    return key.startsWith(secrets) && (type === "delete" || storage.get(key)?.revision !== revision)
  })
  const left = () => {
    const files = [...disk.files()].map(([path, bytes]) => [path, Buffer.from(bytes)] as const)
    return outdated.flatMap(({ name }) =>
      files.filter(([, bytes]) => bytes.includes(name.slice(0, 10))).map(([path]) => `${name} in ${path}`),
    )
  }
  // Enough for several erasures: what changes while one is scheduled is erased by the next one.
  for (let turn = 0; turn < 10 * maxErasureDelay && left().length > 0; turn++) await disk.turn()
  const [first] = left()
  if (first !== undefined) throw new Error(`expected the outdated value of a Secret to be erased, found ${first}`)
  return outdated.length
}

async function write(storage: Storage, key: string, random: Random, listener: Pick<Listener, "acknowledge">): Promise<void> {
  for (;;) {
    const name = `${random.letters(10)}${"x".repeat(random.int(600))}`
    const make = (revision: Revision): KubeObject => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, resourceVersion: String(revision) },
    })
    const deletes = storage.get(key) !== undefined && random.int(4) === 0
    const result = await storage.commit([{ key, make, deletes }])
    if (!result.ok) throw new Error(`expected no conflict, found one at ${result.key}`)
    for (const { revision } of result.stored) listener.acknowledge({ revision, type: deletes ? "delete" : "put", key, name })
    if (random.int(30) === 0) void storage.compact(storage.revision - random.int(10))
  }
}
