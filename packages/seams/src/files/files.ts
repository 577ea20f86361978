/** What `stat` reports about a file or a directory. */
export interface FileFacts {
  readonly directory: boolean
  readonly size: number
  /** Milliseconds since 1970. */
  readonly modified: number
  /** Permission bits, such as 0o600. */
  readonly mode: number
}

/** How a file is written. */
export interface WriteOptions {
  /**
   * Permission bits of a new file, 0o644 by default. A file that exists keeps its own, less those that are not in a `mode` that is given: what was
   * readable by others before a secret was written to it is not afterwards.
   */
  readonly mode?: number
  /** Refuses (code FILE) when the file exists. */
  readonly exclusive?: boolean
  /**
   * A symbolic link at the path stays, and the file that it leads to is written; without it the link is replaced. Refuses (code FILE) a link that
   * another user has put into a world-writable directory.
   */
  readonly followLink?: boolean
}

/**
 * The few files a process reads and writes. Synchronous, so that virtual time cannot run ahead of them.
 * Absent is an answer (undefined); everything else that goes wrong is an error with code FILE.
 */
export interface Files {
  read(path: string): Uint8Array | undefined
  /** All or nothing: a reader sees the old content or the new one, never a part. Makes the directories above it. */
  write(path: string, content: string | Uint8Array, options?: WriteOptions): void
  /** Succeeds when there is nothing. Takes a directory with all that is in it. */
  remove(path: string): void
  /** In one step, within one file system. Follows no link at the end of either path, and takes the place of a file or an empty directory at most. */
  rename(from: string, to: string): void
  /** Names in a directory, sorted; empty when it is absent. */
  list(path: string): readonly string[]
  facts(path: string): FileFacts | undefined
  makeDirectory(path: string, mode?: number): void
  /** The path without symbolic links, dots and doubled slashes; undefined when nothing is there. */
  realPath(path: string): string | undefined
}

/** Reads a file as UTF-8; undefined where there is none. */
export function readText(files: Files, path: string): string | undefined {
  const content = files.read(path)
  return content === undefined ? undefined : new TextDecoder().decode(content)
}
