import { join } from "node:path"
import type { Revision, Stored } from "../storage.ts"
import type { Disk } from "./disk.ts"
import { damaged } from "./failures.ts"
import { frameOf } from "./frame.ts"
import { fileStart, readFileFrames, rowsIn, rowText, type SnapshotHeader } from "./layout.ts"
import { fileName } from "./names.ts"

/**
 * Objects and characters of one frame; one object alone may have more. A frame is encoded in one turn of the event loop, and between two frames the process
 * does other work: both bounds keep the turn short.
 */
const [frameObjects, frameLength] = [128, 1024 * 1024]

export interface Snapshot {
  /** It takes the place of the logs before this one; 0 when there is none. */
  readonly number: number
  readonly size: number
}

export interface SnapshotContent {
  readonly revision: Revision
  readonly items: readonly Stored[]
  readonly signal: AbortSignal
}

/** Writes what stood at a revision; gives its size. */
export function writeSnapshot(disk: Disk, path: string, content: SnapshotContent): Promise<number> {
  return disk.writeWhole(path, parts(content))
}

function* parts({ revision, items, signal }: SnapshotContent): Generator<Uint8Array> {
  yield fileStart({ revision, count: items.length })
  let rows: string[] = []
  let length = 0
  for (const stored of items) {
    signal.throwIfAborted()
    const row = rowText(stored, false)
    if (rows.length === frameObjects || (rows.length > 0 && length + row.length > frameLength)) {
      yield frameOf(`[${rows.join(",")}]`)
      rows = []
      length = 0
    }
    rows.push(row)
    length += row.length + 1
  }
  if (rows.length > 0) yield frameOf(`[${rows.join(",")}]`)
}

export interface ReadSnapshot extends Snapshot {
  readonly revision: Revision
  readonly items: readonly Stored[]
}

/** A snapshot has its name only when it is whole and on the disk: anything else is damage. */
export async function readSnapshot(disk: Disk, directory: string, number: number): Promise<ReadSnapshot> {
  const path = join(directory, fileName("snapshot", number))
  const content = await disk.read(path)
  const { header, texts, end } = readFileFrames<SnapshotHeader>(path, content)
  const items = texts.flatMap((text) => rowsIn(text) ?? []).map(({ stored }) => stored)
  if (items.length !== header.count || end !== content.length) {
    throw damaged(path, end, `expected ${header.count} objects, found ${items.length}`)
  }
  return { number, size: content.length, revision: header.revision, items }
}
