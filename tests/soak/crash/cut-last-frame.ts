import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { diskStorage, type Revision, type Storage } from "@pilothouse/apiserver"
import { type Clock, type Random, silentLog } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import type { Said } from "./copy.ts"
import { type Image, MemoryDisk } from "./memory-disk.ts"

/** Bytes of a frame before its text: mark, length, two checksums. */
const headerSize = 16
/** Behind the cut, in every other try: the file has been made longer in advance. */
const zeros = 100

/** Thousands of storages are opened and none is closed: no erasure of a Secret may wait for five minutes. */
const withoutTimers: Clock = { ...systemClock, timer: () => ({ [Symbol.dispose]() {} }) }

interface Frame {
  readonly start: number
  readonly end: number
}

/** The files of a real directory. */
export function imageOf(directory: string): Image {
  return new Map(readdirSync(directory).map((name) => [join(directory, name), readFileSync(join(directory, name))]))
}

/**
 * Cuts the last frame of the newest log at every byte, with zeros behind the cut and without: each time the storage opens, the frame is absent, and everything
 * acknowledged before it is there. Gives the number of places. `stride` passes over places in the middle of a long frame.
 */
export async function cutsOfLastFrame(
  image: Image,
  directory: string,
  acknowledged: readonly Said[],
  random: Random,
  stride = 1,
): Promise<number> {
  const files = new Map([...image].map(([name, content]) => [name, withoutZeros(content)]))
  const path = [...files.keys()]
    .filter((name) => /\/log-\d+$/.test(name))
    .sort()
    .at(-1)
  const bytes = path === undefined ? undefined : Buffer.from(files.get(path)!)
  const frames = bytes === undefined ? [] : framesIn(bytes)
  const last = frames.at(-1)
  // The first frame is the header, which is written whole with the file.
  if (path === undefined || bytes === undefined || last === undefined || frames.length < 2) return 0
  // Where a run ended in order, a shorter log is damage and not a crash: it is refused.
  if (Buffer.from(files.get(join(directory, "manifest")) ?? []).includes('"closed"')) return 0
  const open = (content: Uint8Array) => {
    const disk = new MemoryDisk(new Map([...files, [path, content]]), { random })
    return diskStorage({ directory, clock: withoutTimers, log: silentLog, disk })
  }
  const absent = contents(await open(bytes.subarray(0, last.start)))
  const first = firstRevision(bytes, last)
  const kept = acknowledged.filter(({ revision }) => revision < first)
  const highest = Math.max(0, ...kept.map(({ revision }) => revision))
  if (absent.revision < highest) throw new Error(`lost revision ${highest} with a frame that begins at ${first}: found ${absent.revision}`)
  for (let cut = last.start; cut < last.end; cut += isNearEnd(cut, last) ? 1 : stride) {
    for (const size of [cut, last.end + zeros]) {
      const content = Buffer.alloc(size)
      bytes.copy(content, 0, 0, cut)
      const found = contents(await open(content))
      if (found.text !== absent.text)
        throw new Error(`cut at byte ${cut - last.start} of ${last.end - last.start}: found ${found.text}, expected ${absent.text}`)
    }
  }
  return last.end - last.start
}

/** As they were before they grew in advance: thousands of starts would read megabytes of zeros. */
function withoutZeros(content: Uint8Array): Uint8Array {
  let size = content.length
  while (content[size - 1] === 0) size--
  return content.subarray(0, size)
}

/** Its header, and as much at its end. */
function isNearEnd(cut: number, { start, end }: Frame): boolean {
  return cut < start + 2 * headerSize || cut >= end - 2 * headerSize
}

function contents(storage: Storage): { readonly revision: Revision; readonly text: string } {
  const items = storage.list("").items.map(({ key, revision }) => `${key}@${revision}`)
  return { revision: storage.revision, text: `${storage.revision}: ${items.join(" ")}` }
}

/** The whole ones. */
function framesIn(bytes: Buffer): readonly Frame[] {
  const frames: Frame[] = []
  let start = bytes.indexOf(10) + 1
  while (start + headerSize <= bytes.length && bytes[start] === 0xff) {
    const end = start + headerSize + bytes.readUInt32LE(start + 4)
    // The power failed in the middle of it.
    if (end > bytes.length || crc32(bytes.subarray(start + headerSize, end)) !== bytes.readUInt32LE(start + 8)) break
    frames.push({ start, end })
    start = end
  }
  return frames
}

/** The lowest revision of a frame of writes; that of a frame of another kind is above all. */
function firstRevision(bytes: Buffer, { start, end }: Frame): Revision {
  const text = bytes.toString("utf8", start + headerSize, end)
  // One without rows tries whether the disk takes writes.
  const rows: unknown = text === "" ? [] : JSON.parse(text)
  return Array.isArray(rows) && rows.length > 0 ? (rows as [Revision][])[0]![0] : Number.POSITIVE_INFINITY
}
