import { type Clock, type FileFacts, type Files, PilothouseError, readText } from "@pilothouse/seams"

export interface ReloadedFileOptions {
  readonly files: Files
  readonly clock: Pick<Clock, "elapsed">
  readonly path: string
  /** What it is, for messages: 'the token file of user "jane"'. */
  readonly what: string
  /** The least time between two looks, in milliseconds. */
  readonly every: number
  /** Throws when this cannot be what was meant to be written. */
  readonly check: (text: string) => void
}

/**
 * A small file that somebody else writes anew: a token, a certificate.
 * Always true between calls: the text is the last that was found in the file and passed the check. A file that is gone, unreadable, empty or half
 * written for a moment changes nothing, and is looked at again.
 */
export class ReloadedFile {
  readonly #options: ReloadedFileOptions
  #text: string
  #facts: FileFacts | undefined
  #checkedAt: number

  /** Throws when there is no such file, or nothing in it that passes the check. */
  constructor(options: ReloadedFileOptions) {
    const { files, path, what, clock, check } = options
    this.#options = options
    const text = readText(files, path)
    if (text === undefined) throw new PilothouseError("FILE", `expected ${what} at ${path}, found no file; check the path`)
    check(text)
    this.#text = text
    this.#facts = files.facts(path)
    this.#checkedAt = clock.elapsed()
  }

  get text(): string {
    if (this.#options.clock.elapsed() - this.#checkedAt >= this.#options.every) this.reload()
    return this.#text
  }

  /** Looks now. True when there is something else in it. */
  reload(): boolean {
    const { files, clock, path, check } = this.#options
    this.#checkedAt = clock.elapsed()
    const before = this.#text
    try {
      const facts = files.facts(path)
      if (facts === undefined || sameFacts(facts, this.#facts)) return false
      const text = readText(files, path) ?? before
      check(text)
      this.#text = text
      this.#facts = facts
    } catch {
      // It may be in the middle of being replaced. What we have worked so far; if it does not any more, the server will say so.
      return false
    }
    return this.#text !== before
  }
}

function sameFacts(a: FileFacts, b: FileFacts | undefined): boolean {
  return a.modified === b?.modified && a.size === b.size
}
