import { join } from "node:path"
import type { Revision } from "../storage.ts"
import type { Disk, LogFile } from "./disk.ts"
import { isDiskFull } from "./failures.ts"
import { frameOf } from "./frame.ts"
import { closedText, fileStart } from "./layout.ts"
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
}

/** The file grows by so many zeros at a time: overwriting them syncs faster than appending (ADR 6), which changes the file's size each time. */
const growths: readonly number[] = [1024 * 1024, 64 * 1024, 0]

/**
 * The log as files of bounded size, one of which is written.
 *
 * Always true between calls: the bytes before `#size` are whole frames on the disk; those from there to `#allocated` are zeros. Without a `#file`
 * the next text begins a file of its own.
 */
export class Segments {
  readonly #options: SegmentsOptions
  #old: readonly Segment[]
  #number = 0
  #last: Revision
  /** The lowest revision of this run. */
  #from: Revision = 0
  #file: LogFile | undefined
  #closed = false
  #size = 0
  #allocated = 0

  constructor(options: SegmentsOptions, old: readonly Segment[], last: Revision) {
    this.#options = options
    this.#old = old
    this.#last = last
    this.#number = old.at(-1)?.number ?? 0
  }

  /** Those that are not written any more, in order. */
  get old(): readonly Segment[] {
    return this.#old
  }

  /** A file of its own for every run: what an earlier one left is never written again. */
  async begin(from: Revision): Promise<void> {
    this.#from = from
    const { disk, directory } = this.#options
    const path = join(directory, fileName("log", this.#number + 1))
    const size = await disk.writeWhole(path, [fileStart({ after: this.#last, from })])
    this.#file = await disk.openLog(path)
    this.#number++
    this.#size = size
    this.#allocated = size
  }

  /** Ends when the text is on the disk. When it throws, `abandon` comes before the next one. */
  async append(text: string, last: Revision): Promise<void> {
    if (this.#closed) throw new Error(`log ${this.#number} is closed`)
    if (this.#size >= this.#options.segmentBytes) await this.#end()
    const file = this.#file ?? (await this.#next())
    const frame = frameOf(text)
    await this.#write(file, frame)
    this.#size += frame.length
    this.#last = last
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

  forget(below: number): void {
    this.#old = this.#old.filter(({ number }) => number >= below)
  }

  /** With the sign that no revision was given out behind the last one. */
  async close(): Promise<void> {
    await this.append(closedText, this.#last)
    await this.#end()
    this.#closed = true
  }

  /**
   * After a failure: takes away what the disk may have of writes that were answered with an error, for good. A file that begins behind a torn one
   * would be refused by the next run: when this throws nothing may be appended any more.
   */
  async abandon(): Promise<void> {
    const { disk, directory } = this.#options
    if (this.#file === undefined) return
    await this.#end()
    await disk.truncate(join(directory, fileName("log", this.#number)), this.#size)
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
    try {
      await file?.truncate(this.#size)
    } finally {
      await file?.close()
    }
  }
}

/** In one piece of memory that is zeros already: what nobody writes to takes none of the system's, and joining two pieces would write to all of it. */
function withZeros(frame: Buffer, zeros: number): Buffer {
  const bytes = Buffer.alloc(frame.length + zeros)
  frame.copy(bytes)
  return bytes
}
