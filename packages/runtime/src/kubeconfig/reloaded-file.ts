import { type Clock, type FileFacts, type Files, PilothouseError, readText } from "@pilothouse/seams"

export interface ReloadedFileOptions {
  readonly files: Files
  readonly clock: Pick<Clock, "elapsed">
  readonly path: string
  /** What it is, for messages: 'the token file of user "jane"'. */
  readonly what: string
  /** Minimum milliseconds between two checks of the file. */
  readonly every: number
  /** Throws for invalid contents, such as a half-written file. */
  readonly check: (text: string) => void
}

/**
 * A small file that another process rewrites: a token, a certificate.
 * Invariant: the text is the last valid content of the file. A file that is missing, unreadable, empty or half
 * written for a moment changes nothing, and is read again.
 */
export class ReloadedFile {
  readonly #options: ReloadedFileOptions
  #text: string
  #facts: FileFacts | undefined
  #checkedAt: number

  /** Throws when there is no such file, or its content is invalid. */
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

  /** Reads the file now. Returns true when its content changed. */
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
      // It may be in the middle of being replaced. The known content stays; if it is outdated, the server refuses it.
      return false
    }
    return this.#text !== before
  }
}

function sameFacts(a: FileFacts, b: FileFacts | undefined): boolean {
  return a.modified === b?.modified && a.size === b.size
}
