import { join } from "node:path"
import type { Revision } from "../storage.ts"
import type { Disk, LogFile } from "./disk.ts"
import { isDiskFull, isExisting, OwnershipLost } from "./failures.ts"
import { frameOf } from "./frame.ts"
import { closedText, fileStart } from "./layout.ts"
import { writeManifest } from "./manifest.ts"
import { fileName } from "./names.ts"

/** A log file that is not written any more. */
export interface Segment {
  readonly number: number
  /** The highest revision up to its end. */
  readonly last: Revision
  readonly size: number
}

export interface SegmentsOptions {
  readonly disk: Disk
  readonly directory: string
  /** A file that has grown past this is the last but one. */
  readonly segmentBytes: number
  /** Asked before a file is made: one of a process that is not the owner any more would take the place of the owner's. */
  isOwner(): boolean
}

/** The file grows by so many zeros at a time: overwriting them syncs faster than appending (ADR 6), which changes the file's size each time. */
const growths: readonly number[] = [1024 * 1024, 64 * 1024, 0]
/** Less room than this is none: a disk that has it for one write may not have it for the next. */
const minRoom = 64 * 1024

/**
 * The log as files of bounded size, one of which is written.
 *
 * Invariant: the bytes before `#size` are whole frames on the disk; those from there to `#allocated` are zeros, or, where `#uncut`, a part
 * of a write that failed, which is cut off before the next one. Without a `#file` the next text goes on in the last one, or begins the next where that
 * one is long enough.
 */
export class Segments {
  readonly #options: SegmentsOptions
  #old: readonly Segment[]
  #number = 0
  #last: Revision
  #after: Revision = 0
  /** The lowest revision of this run. */
  #from: Revision = 0
  #file: LogFile | undefined
  #closed = false
  #uncut = false
  /** The next text begins a new file, however short this one is. */
  #rotates = false
  #size: number
  #allocated = 0
  /** Bytes of the newest text that could not be written. */
  #refused = 0

  constructor(options: SegmentsOptions, old: readonly Segment[], last: Revision) {
    this.#options = options
    this.#old = old
    this.#last = last
    this.#number = old.at(-1)?.number ?? 0
    this.#size = old.at(-1)?.size ?? 0
  }

  /** Those that are not written any more, in order. */
  get old(): readonly Segment[] {
    return this.#old
  }

  /** The last revision before the file that is written. */
  get after(): Revision {
    return this.#after
  }

  /** A file of its own for every run: what an earlier one left is never written again. */
  async begin(from: Revision): Promise<void> {
    this.#from = from
    const { disk, directory } = this.#options
    if (!this.#options.isOwner()) throw new OwnershipLost(`log ${this.#number + 1} is not this process' to begin`)
    const path = join(directory, fileName("log", this.#number + 1))
    const before = this.#number === 0 ? {} : { end: this.#size }
    const start = fileStart({ after: this.#last, from, ...before })
    await this.#create(path, start)
    await writeManifest(disk, directory, { newest: this.#number + 1 })
    this.#file = await disk.openLog(path)
    this.#number++
    this.#after = this.#last
    this.#size = start.length
    this.#allocated = start.length
    this.#rotates = false
  }

  /** The next text, or the next `reserve`, begins a new file. */
  rotate(): void {
    this.#rotates = true
  }

  /** Ends when the text is on the disk. When it throws, `abandon` comes before the next one. */
  async append(text: string, last: Revision = this.#last): Promise<void> {
    const frame = frameOf(text)
    this.#refused = frame.length
    await this.#write(await this.#open(), frame)
    this.#refused = 0
    this.#size += frame.length
    this.#last = last
  }

  /** Ends when there is room for the newest text that could not be written; that room is kept for the next one. Throws as `append` does. */
  async reserve(): Promise<void> {
    const zeros = Math.max(this.#refused, minRoom)
    const file = await this.#open()
    if (this.#size + zeros <= this.#allocated) return
    await file.write(Buffer.alloc(zeros), this.#size)
    this.#allocated = this.#size + zeros
  }

  /** With zeros behind it where they have been used up, and with fewer or none where the disk has no room for them: they are for speed only. */
  async #write(file: LogFile, frame: Buffer): Promise<void> {
    const end = this.#size + frame.length
    if (end <= this.#allocated) return file.write(frame, this.#size)
    for (const zeros of growths) {
      try {
        await file.write(zeros === 0 ? frame : withZeros(frame, zeros), this.#size)
        this.#allocated = end + zeros
        return
      } catch (error) {
        if (zeros === 0 || !isDiskFull(error)) throw error
        // What was written of it is in the way of the next try.
        await file.truncate(this.#size)
        this.#allocated = this.#size
      }
    }
  }

  /** This log was removed from the disk. */
  forget(removed: number): void {
    this.#old = this.#old.filter(({ number }) => number !== removed)
  }

  /** With the sign that no revision was given out behind the last one, and with a record of where it ended: a later cut is noticed. */
  async close(): Promise<void> {
    const { disk, directory } = this.#options
    await this.append(closedText)
    await this.#end()
    this.#closed = true
    if (!this.#options.isOwner()) throw new OwnershipLost(`log ${this.#number} is not this process' to close`)
    await writeManifest(disk, directory, { newest: this.#number, closed: { end: this.#size, revision: this.#last } })
  }

  /** Closes the file as it is, and writes nothing. */
  async release(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    this.#closed = true
    await file?.close()
  }

  /**
   * After a failure: takes away what the disk may have of writes that were answered with an error, for good. When this throws it is tried again before the
   * next text: a file that begins behind a torn one would be refused by the next run. The descriptor stays open, for there may be no other.
   */
  async abandon(): Promise<void> {
    if (this.#file === undefined) return
    this.#uncut = true
    await this.#file.cut(this.#size)
    this.#uncut = false
    this.#allocated = this.#size
  }

  get #path(): string {
    return join(this.#options.directory, fileName("log", this.#number))
  }

  /** The file that is written. One that was cut after a failure is written on: a new one for every try would take the last of a full disk. */
  async #open(): Promise<LogFile> {
    const { disk, segmentBytes } = this.#options
    if (this.#closed) throw new Error(`log ${this.#number} is closed`)
    if (this.#uncut) await this.abandon()
    const isLong = this.#rotates || this.#size >= segmentBytes
    if (isLong) await this.#end()
    this.#file ??= isLong ? await this.#next() : await disk.openLog(this.#path)
    return this.#file
  }

  /**
   * Never replaces a log: this process may have been paused since it was found to be the owner, and the next owner has begun its own log of this number
   * meanwhile. A file with the same bytes is the one that this process made before a later step failed.
   */
  async #create(path: string, start: Buffer): Promise<void> {
    const { disk } = this.#options
    try {
      await disk.writeWhole(path, [start], { exclusive: true })
    } catch (error) {
      if (!isExisting(error)) throw error
      if (!start.equals(await disk.read(path))) throw new OwnershipLost(`expected no ${path}, found that another process has begun it`)
    }
  }

  async #next(): Promise<LogFile> {
    const ended = { number: this.#number, last: this.#last, size: this.#size }
    await this.begin(Math.max(this.#from, this.#last + 1))
    this.#old = [...this.#old, ended]
    return this.#file!
  }

  async #end(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    this.#allocated = this.#size
    try {
      await file?.truncate(this.#size)
    } finally {
      await file?.close()
    }
  }
}

/** In one piece of memory that is zeros already: pages that are never written take no memory, and joining two pieces would write to all of it. */
function withZeros(frame: Buffer, zeros: number): Buffer {
  const bytes = Buffer.alloc(frame.length + zeros)
  frame.copy(bytes)
  return bytes
}
