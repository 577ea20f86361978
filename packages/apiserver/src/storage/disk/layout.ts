import type { KubeObject } from "@pilothouse/api"
import { deepFreeze } from "@pilothouse/api"
import { parseJson, stringifyJson } from "@pilothouse/seams"
import { type ManagedFields, managedFieldsOf, setManagedFields } from "../../managedfields/object-managed-fields.ts"
import { sharedSet } from "../../managedfields/shared-set.ts"
import type { Revision, Stored } from "../storage.ts"
import { damaged, emptyFile, foreignFile, newerLayout } from "./failures.ts"
import { type Frames, frameOf, readFrame, readFrames } from "./frame.ts"

/** Of every file. A change that an older Pilothouse cannot read raises it. */
export const layout = 2
const title = "pilothouse-storage"

/** The first frame of a log. */
export interface LogHeader {
  /** The last revision before it: a missing log is noticed. */
  readonly after: Revision
  /** The lowest that it may give out: after a crash there is a gap, which the next run has to know of even when nothing was written in this one. */
  readonly from: Revision
  /**
   * Bytes that the log before it had when this one began; absent in the first one, and in those of earlier versions. What is behind them was written by a
   * process that no longer owned the directory, and was never acknowledged.
   */
  readonly end?: number
}

/** The first frame of a snapshot. */
export interface SnapshotHeader {
  /** The state is that of this revision. */
  readonly revision: Revision
  /** How many objects follow, all frames together. */
  readonly count: number
}

/** The only frame of a manifest. */
export interface Manifest {
  /** The number of the newest log in which a write may have been acknowledged. */
  readonly newest: number
  /** Where that log ended, when its run ended in order. Absent while it is written, and after a crash. */
  readonly closed?: OrderlyEnd
}

export interface OrderlyEnd {
  /** Bytes. */
  readonly end: number
  /** The highest revision up to its end. */
  readonly revision: Revision
}

/** The last frame of a log that was closed in order: no revision was given out behind it. */
export const closedText = JSON.stringify({ closed: true })

export function fileStart(header: LogHeader | SnapshotHeader | Manifest): Buffer {
  return Buffer.concat([Buffer.from(`${title} ${layout}\n`), frameOf(JSON.stringify(header))])
}

/**
 * One write in a log's frame, and one object in a snapshot's: [revision, time, key, value], then 1 for a deletion or 0, and the managedFields of the
 * object. The last two are left out where they say nothing; layout 1 has no managedFields.
 */
type Row = readonly [
  revision: Revision,
  written: number,
  key: string,
  value: KubeObject,
  deletes?: 0 | 1,
  managedFields?: readonly ManagedFields[],
]

export function rowText({ revision, written, key, value }: Stored, deletes: boolean): string {
  const entries = managedFieldsOf(value)
  const tail = entries.length === 0 ? (deletes ? ",1" : "") : `,${deletes ? 1 : 0},${stringifyJson(entries)}`
  return `[${revision},${written ?? 0},${JSON.stringify(key)},${stringifyJson(value)}${tail}]`
}

export interface ReadRow {
  readonly stored: Stored
  readonly deletes: boolean
}

/** Returns the rows of a frame; undefined when it holds none. */
export function rowsIn(text: string): readonly ReadRow[] | undefined {
  const rows: unknown = parseJson(text)
  if (!Array.isArray(rows)) return undefined
  return (rows as Row[]).map(([revision, written, key, value, deletes, managedFields = []]) => ({
    stored: { key, revision, value: deepFreeze(setManagedFields(value, shared(managedFields))), written },
    deletes: deletes === 1,
  }))
}

function shared(entries: readonly ManagedFields[]): readonly ManagedFields[] {
  return deepFreeze(entries.map((entry) => ({ ...entry, fieldsV1: sharedSet(entry.fieldsV1) })))
}

export interface ReadFile<Header> extends Frames {
  readonly header: Header
  /** Those behind the header. */
  readonly texts: readonly string[]
}

/** The header of a log, whatever is behind it. */
export function logHeaderIn(path: string, content: Uint8Array): LogHeader {
  const { bytes, start } = checkedStart(path, content)
  const header = readFrame(bytes, start)
  if (header === undefined) throw damaged(path, start, "the header is missing")
  return JSON.parse(header.text) as LogHeader
}

/** The frames of a file of ours; refuses one that is not, an empty one, one of a newer layout, and a damaged one. */
export function readFileFrames<Header>(path: string, content: Uint8Array): ReadFile<Header> {
  const { bytes, start } = checkedStart(path, content)
  const frames = readFrames(bytes, start)
  const [header, ...texts] = frames.texts
  if (frames.ending === "damaged") throw damaged(path, frames.end, "what stands there was written whole once, and its checksum is wrong")
  if (header === undefined) throw damaged(path, frames.end, "the header is missing")
  return { ...frames, header: JSON.parse(header) as Header, texts }
}

/** The place of the first frame, behind the title. */
function checkedStart(path: string, content: Uint8Array): { readonly bytes: Buffer; readonly start: number } {
  if (content.length === 0) throw emptyFile(path)
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const line = bytes.subarray(0, Math.max(0, bytes.indexOf(10))).toString()
  const found = new RegExp(`^${title} (\\d+)$`).exec(line)?.[1]
  if (found === undefined || Number(found) < 1) throw foreignFile(path)
  if (Number(found) > layout) throw newerLayout(path, Number(found), layout)
  return { bytes, start: line.length + 1 }
}
