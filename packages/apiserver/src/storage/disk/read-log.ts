import type { Revision } from "../storage.ts"
import type { Disk } from "./disk.ts"
import { damaged } from "./failures.ts"
import { type LogHeader, type ReadRow, readFileFrames, rowsIn } from "./layout.ts"

export interface ReadLog {
  readonly rows: readonly ReadRow[]
  readonly texts: readonly string[]
  /** The last revision before it. */
  readonly after: Revision
  /** The highest revision up to its end. */
  readonly last: Revision
  /** The highest revision that may have been given out before it, or is in it. */
  readonly given: Revision
  /** Of the first byte behind the last whole frame. */
  readonly end: number
  readonly size: number
  /** A write behind the end was cut off. */
  readonly torn: boolean
}

/** Reads one log. */
export async function readLog(disk: Disk, path: string): Promise<ReadLog> {
  const content = await disk.read(path)
  const { header, texts, end, ending } = readFileFrames<LogHeader>(path, content)
  const rows = texts.flatMap((text) => rowsIn(text) ?? [])
  let last = header.after
  for (const { stored } of rows) {
    if (stored.revision <= last) throw damaged(path, 0, `revision ${stored.revision} comes after ${last}`)
    last = stored.revision
  }
  return {
    rows,
    texts,
    after: header.after,
    last,
    given: Math.max(last, header.from - 1),
    end,
    size: content.length,
    torn: ending === "torn",
  }
}
