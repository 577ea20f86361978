import { join } from "node:path"
import type { Log } from "@pilothouse/seams"
import { State } from "../state.ts"
import type { Revision } from "../storage.ts"
import type { Disk } from "./disk.ts"
import { damaged, missing } from "./failures.ts"
import { closedText, type LogHeader, logHeaderIn, type Manifest, type ReadRow, readFileFrames, rowsIn } from "./layout.ts"
import { checkManifest } from "./manifest.ts"
import { contentsOf, fileName } from "./names.ts"
import { leavesOutdatedSecret } from "./secret-erasure.ts"
import type { Segment } from "./segments.ts"
import { readSnapshot, type Snapshot } from "./snapshot.ts"

/** The storage as its files say, read but not repaired yet. */
export interface Recovered {
  readonly state: State
  readonly segments: readonly Segment[]
  readonly snapshot: Snapshot
  /** The highest revision on the disk. */
  readonly last: Revision
  /** The highest that an earlier run can have given out, if the last one ended in order. */
  readonly given: Revision
  /** The last run ended in order, or there was none: no revision was given out that is not here. */
  readonly clean: boolean
  /** The highest revision of a log that holds a value of a Secret which is no longer current; 0 when none does. */
  readonly outdatedSecret: Revision
  /** Nothing is changed before all was read and found good; then this is what to do. */
  readonly repairs: readonly Repair[]
}

export type Repair =
  | { readonly remove: string }
  /** Behind `to` are zeros or a torn write. What is before may not be on the disk yet, only with the system: cutting syncs it. */
  | { readonly cut: string; readonly to: number; readonly torn?: "after an orderly end" | "after a crash" }

export interface RecoverOptions {
  /** Changes written before this (wall-clock time) are known no longer. */
  readonly aged: number
  readonly historyBytes: number | undefined
  readonly log: Log
}

/** Reads what earlier runs left. Throws before it changes anything. */
export async function recover(disk: Disk, directory: string, { aged, historyBytes, log }: RecoverOptions): Promise<Recovered> {
  const contents = contentsOf(directory, await disk.names(directory))
  const manifest = contents.hasManifest ? await checkManifest(disk, directory, contents.logs.at(-1) ?? 0) : undefined
  const state = new State(log, historyBytes)
  const number = contents.snapshots.at(-1) ?? 0
  const snapshot = number === 0 ? { number, size: 0 } : await loadSnapshot(disk, directory, number, state)
  const logs = contents.logs.filter((one) => one >= number)
  const first = Math.max(number, 1)
  checkFirst(directory, logs, { first, required: number > 0 })
  const replayed = await replay(readLogs(disk, directory, logs), { state, manifest, newest: logs.at(-1) ?? 0, log })
  state.compact(replayed.rows.findLast(({ written }) => written <= aged)?.revision ?? 0)
  const leftovers = [
    ...contents.unfinished,
    ...contents.snapshots.slice(0, -1).map((old) => fileName("snapshot", old)),
    ...contents.logs.filter((one) => one < number).map((old) => fileName("log", old)),
  ]
  const remove = leftovers.map((name) => ({ remove: join(directory, name) }))
  const { segments, clean, cuts, given, outdatedSecret } = replayed
  return { state, snapshot, segments, last: segments.at(-1)?.last ?? 0, given, clean, outdatedSecret, repairs: [...cuts, ...remove] }
}

async function loadSnapshot(disk: Disk, directory: string, number: number, state: State): Promise<Snapshot> {
  const { items, revision, size } = await readSnapshot(disk, directory, number)
  state.load(items, revision)
  return { number, size }
}

/** The logs begin with the number that the snapshot says, and behind a snapshot there always is one. */
function checkFirst(directory: string, logs: readonly number[], { first, required }: { first: number; required: boolean }): void {
  const pathOf = (number: number) => join(directory, fileName("log", number))
  const [found] = logs
  if (found === undefined && required) throw missing(pathOf(first), "found no log behind the snapshot")
  if (found !== undefined && found !== first) throw missing(pathOf(first), `found ${pathOf(found)} without it`)
}

interface Replay {
  readonly state: State
  readonly manifest: Manifest | undefined
  /** The number of the last log. */
  readonly newest: number
  readonly log: Log
}

interface Replayed {
  readonly segments: readonly Segment[]
  readonly cuts: readonly Repair[]
  readonly rows: readonly { readonly revision: Revision; readonly written: number }[]
  readonly clean: boolean
  readonly given: Revision
  readonly outdatedSecret: Revision
}

async function replay(logs: AsyncIterable<ReadLog>, { state, manifest, newest, log }: Replay): Promise<Replayed> {
  const [segments, cuts, rows]: [Segment[], Repair[], { revision: Revision; written: number }[]] = [[], [], []]
  let last: ReadLog | undefined
  let outdatedSecret = 0
  for await (const read of logs) {
    checkGoesOn(read, last, state)
    // A later log says itself where this one ended; a manifest that does not name the later log comes from a process that no longer owned the directory.
    if (read.number === newest && read.number === manifest?.newest) checkOrderlyEnd(read, manifest)
    if (read.overrun)
      log.warn("a log goes on behind the place where the next one began; that part was never acknowledged", { file: read.path })
    cuts.push(...cutsOf(read, read.number === newest, manifest))
    for (const { stored, deletes } of read.rows) {
      if (leavesOutdatedSecret(state, stored, deletes)) outdatedSecret = read.last
      // The snapshot may lie in the middle of its first log.
      if (stored.revision <= state.compacted) continue
      state.apply([{ stored, deletes }])
      rows.push({ revision: stored.revision, written: stored.written ?? 0 })
    }
    segments.push({ number: read.number, last: read.last, size: read.end })
    last = read
  }
  return { segments, cuts, rows, outdatedSecret, given: last?.given ?? 0, clean: last === undefined || isClosed(last) }
}

/** A run that ended in order has recorded where: what is missing since then was acknowledged. */
function checkOrderlyEnd({ path, end, last }: ReadLog, { closed }: Manifest): void {
  if (closed === undefined || (end >= closed.end && last >= closed.revision)) return
  const expected = `${closed.end} bytes up to revision ${closed.revision}`
  throw damaged(path, end, `expected ${expected}, where its run ended in order, found ${end} bytes up to revision ${last}`)
}

/** Only the last log can end in a torn write: an earlier one was cut before the next began. */
function cutsOf(log: ReadLog, isLast: boolean, manifest: Manifest | undefined): readonly Repair[] {
  const { path, torn, end } = log
  if (!isLast) {
    if (torn) throw damaged(path, end, "it ends in the middle of a write, and a later log goes on")
    return []
  }
  if (!torn) return isClosed(log) ? [] : [{ cut: path, to: end }]
  const endedInOrder = isClosed(log) || (manifest?.newest === log.number && manifest.closed !== undefined)
  return [{ cut: path, to: end, torn: endedInOrder ? "after an orderly end" : "after a crash" }]
}

/** That it was closed in order. */
function isClosed({ texts }: ReadLog): boolean {
  return texts.at(-1) === closedText
}

/** A log goes on where the one before it ended; the first, at the latest where the snapshot ends. */
function checkGoesOn({ path, after }: ReadLog, before: ReadLog | undefined, { compacted }: State): void {
  if (before ? after === before.last : after <= compacted) return
  throw damaged(path, 0, `it goes on behind revision ${after}, and what is before it ends with ${before?.last ?? compacted}`)
}

interface ReadLog {
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
async function* readLogs(disk: Disk, directory: string, numbers: readonly number[]): AsyncGenerator<ReadLog> {
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
