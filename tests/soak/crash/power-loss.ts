import type { KubeObject } from "@pilothouse/api"
import { diskStorage, type Revision, type Storage } from "@pilothouse/apiserver"
import { type Random, silentLog } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { Copy, type Said } from "./copy.ts"
import { cutsOfLastFrame } from "./cut-last-frame.ts"
import { type Image, MemoryDisk, type MemoryDiskOptions } from "./memory-disk.ts"

const directory = "/storage"
const writers = 3
/** Calls to the disk until the power fails: enough for a few logs and a snapshot. */
const longestLife = 120

export interface PowerLoss {
  readonly acknowledged: number
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
    const disk = new MemoryDisk(image, { ...options, random, failAt: random.int(longestLife) })
    const acknowledged: Said[] = []
    const writing = writeUntilFailure(disk, random, { see: (said) => copy.see(said), acknowledge: (said) => acknowledged.push(said) })
    await Promise.race([disk.failed, writing])
    // What was acknowledged before the failure is heard of in this turn.
    await disk.turn()
    image = disk.image()
    for (const said of acknowledged) copy.remember(said)
    const after = new MemoryDisk(image, { random })
    copy.resume(await opened(after), acknowledged)
    return { acknowledged: acknowledged.length, cuts: await cutsOfLastFrame(image, directory, acknowledged, random) }
  }
}

interface Listener {
  see(said: Said): void
  acknowledge(said: Said): void
}

function opened(disk: MemoryDisk): Promise<Storage> {
  return diskStorage({ directory, clock: systemClock, log: silentLog, disk, segmentBytes: 4000, historyBytes: 20_000 })
}

/** Never ends: the disk answers nothing after its failure. */
async function writeUntilFailure(disk: MemoryDisk, random: Random, listener: Listener): Promise<void> {
  const storage = await opened(disk)
  storage.watch("/", storage.revision, ({ type, key, revision, value }) =>
    listener.see({ revision, type, key, name: value.metadata.name ?? "" }),
  )
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(storage, `/w${writer}/${random.int(12)}`, random, listener)))
}

async function write(storage: Storage, key: string, random: Random, listener: Listener): Promise<void> {
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
