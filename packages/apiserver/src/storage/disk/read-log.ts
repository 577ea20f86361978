import { join } from "node:path"
import type { Revision } from "../storage.ts"
import type { Disk } from "./disk.ts"
import { damaged, missing } from "./failures.ts"
import { type LogHeader, logHeaderIn, type ReadRow, readFileFrames, rowsIn } from "./layout.ts"
import { fileName } from "./names.ts"

export interface ReadLog {
  readonly number: number
  readonly path: string
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
  /** A write behind the end was cut off. */
  readonly torn: boolean
  /** Bytes that are not zero stand behind the place where the next log began. */
  readonly overrun: boolean
}

/** Reads the logs of these numbers, one after the other. Where each ends is in the header of the next. */
export async function* readLogs(disk: Disk, directory: string, numbers: readonly number[]): AsyncGenerator<ReadLog> {
  const first = numbers[0]
  const pathOf = (number: number) => join(directory, fileName("log", number))
  let content = first === undefined ? new Uint8Array() : await disk.read(pathOf(first))
  for (const [index, number] of numbers.entries()) {
    const next = numbers[index + 1]
    if (next !== undefined && next !== number + 1) throw missing(pathOf(number + 1), `found ${pathOf(next)} without it`)
    const following = next === undefined ? undefined : await disk.read(pathOf(next))
    const limit = following && logHeaderIn(pathOf(next!), following).end
    yield logIn(number, pathOf(number), content, limit)
    content = following ?? content
  }
}

/** Zeros are what a file grows by in advance. */
function hasContent(content: Uint8Array, from: number): boolean {
  for (let at = from; at < content.length; at++) if (content[at] !== 0) return true
  return false
}

function logIn(number: number, path: string, content: Uint8Array, limit = content.length): ReadLog {
  if (content.length < limit) throw damaged(path, content.length, `it ends there, and the log behind it says that it had ${limit} bytes`)
  const { header, texts, end, ending } = readFileFrames<LogHeader>(path, content.subarray(0, limit))
  const rows = texts.flatMap((text) => rowsIn(text) ?? [])
  let last = header.after
  for (const { stored } of rows) {
    if (stored.revision <= last) throw damaged(path, 0, `revision ${stored.revision} comes after ${last}`)
    last = stored.revision
  }
  return {
    number,
    path,
    rows,
    texts,
    after: header.after,
    last,
    given: Math.max(last, header.from - 1),
    end,
    torn: ending === "torn",
    overrun: hasContent(content, limit),
  }
}
