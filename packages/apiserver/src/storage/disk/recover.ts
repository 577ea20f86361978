import { join } from "node:path"
import type { Log } from "@pilothouse/seams"
import { State } from "../state.ts"
import type { Revision } from "../storage.ts"
import type { Disk } from "./disk.ts"
import { damaged, missing } from "./failures.ts"
import { closedText } from "./layout.ts"
import { checkManifest } from "./manifest.ts"
import { contentsOf, fileName } from "./names.ts"
import { type ReadLog, readLog } from "./read-log.ts"
import type { Segment } from "./segments.ts"
import { readSnapshot, type Snapshot } from "./snapshot.ts"

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
  /** Nothing is changed before all was read and found good; then this is what to do. */
  readonly repairs: readonly Repair[]
}

export type Repair =
  | { readonly remove: string }
  /** Behind `to` are zeros or a torn write. What is before may not be on the disk yet, only with the system: cutting syncs it. */
  | { readonly cut: string; readonly to: number; readonly torn: boolean }

export interface RecoverOptions {
  /** Changes written before this (wall-clock time) are known no longer. */
  readonly aged: number
  readonly historyBytes: number | undefined
  readonly log: Log
}

/** Reads what earlier runs left. Throws before it changes anything. */
export async function recover(disk: Disk, directory: string, { aged, historyBytes, log }: RecoverOptions): Promise<Recovered> {
  const contents = contentsOf(directory, await disk.names(directory))
  if (contents.hasManifest) await checkManifest(disk, directory, contents.logs.at(-1) ?? 0)
  const state = new State(log, historyBytes)
  const number = contents.snapshots.at(-1) ?? 0
  const snapshot = number === 0 ? { number, size: 0 } : await loadSnapshot(disk, directory, number, state)
  const logs = contents.logs.filter((one) => one >= number)
  const replayed = await replay(disk, directory, logs, { state, first: Math.max(number, 1), required: number > 0 })
  state.compact(replayed.rows.findLast(({ written }) => written <= aged)?.revision ?? 0)
  const leftovers = [
    ...contents.unfinished,
    ...contents.snapshots.slice(0, -1).map((old) => fileName("snapshot", old)),
    ...contents.logs.filter((one) => one < number).map((old) => fileName("log", old)),
  ]
  const remove = leftovers.map((name) => ({ remove: join(directory, name) }))
  const { segments, clean, cuts, given } = replayed
  return { state, snapshot, segments, last: segments.at(-1)?.last ?? 0, given, clean, repairs: [...cuts, ...remove] }
}

async function loadSnapshot(disk: Disk, directory: string, number: number, state: State): Promise<Snapshot> {
  const { items, revision, size } = await readSnapshot(disk, directory, number)
  state.load(items, revision)
  return { number, size }
}

interface Replay {
  readonly state: State
  /** The number that the first log has to have. */
  readonly first: number
  /** Whether there has to be one: a snapshot always has a log behind it. */
  readonly required: boolean
}

interface Replayed {
  readonly segments: readonly Segment[]
  readonly cuts: readonly Repair[]
  readonly rows: readonly { readonly revision: Revision; readonly written: number }[]
  readonly clean: boolean
  readonly given: Revision
}

async function replay(disk: Disk, directory: string, logs: readonly number[], { state, first, required }: Replay): Promise<Replayed> {
  const pathOf = (number: number) => join(directory, fileName("log", number))
  if (required && logs.length === 0) throw missing(pathOf(first), "found no log behind the snapshot")
  const [segments, cuts, rows]: [Segment[], Repair[], { revision: Revision; written: number }[]] = [[], [], []]
  let last: ReadLog | undefined
  for (const [index, number] of logs.entries()) {
    const path = pathOf(number)
    if (number !== first + index) throw missing(pathOf(first + index), `found ${path} without it`)
    const log = await readLog(disk, path)
    checkGoesOn(path, log, last, state)
    cuts.push(...cutsOf(path, log, index === logs.length - 1))
    for (const { stored, deletes } of log.rows) {
      // The snapshot may lie in the middle of its first log.
      if (stored.revision <= state.compacted) continue
      state.apply([{ stored, deletes }])
      rows.push({ revision: stored.revision, written: stored.written ?? 0 })
    }
    segments.push({ number, last: log.last, size: log.end })
    last = log
  }
  return { segments, cuts, rows, given: last?.given ?? 0, clean: last === undefined || isClosed(last) }
}

/** Only the last log can end in a torn write: an earlier one was cut before the next began. */
function cutsOf(path: string, log: ReadLog, isLast: boolean): readonly Repair[] {
  const { torn, end } = log
  if (isLast) return torn || !isClosed(log) ? [{ cut: path, to: end, torn }] : []
  if (torn) throw damaged(path, end, "it ends in the middle of a write, and a later log goes on")
  return []
}

/** That it was closed in order. */
function isClosed({ texts }: ReadLog): boolean {
  return texts.at(-1) === closedText
}

/** A log goes on where the one before it ended; the first, at the latest where the snapshot ends. */
function checkGoesOn(path: string, { after }: ReadLog, before: ReadLog | undefined, { compacted }: State): void {
  if (before ? after === before.last : after <= compacted) return
  throw damaged(path, 0, `it goes on behind revision ${after}, and what is before it ends with ${before?.last ?? compacted}`)
}
