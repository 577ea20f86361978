/** A file that grows at its end. One call at a time. */
export interface LogFile {
  /** Ends when the bytes are on the disk, not only with the system. */
  write(bytes: Uint8Array, position: number): Promise<void>
  truncate(size: number): Promise<void>
  /** Truncates and syncs: what was behind is gone for good when it ends. */
  cut(size: number): Promise<void>
  close(): Promise<void>
}

export interface WriteWholeOptions {
  /** Fails with EEXIST where the path exists, in the same instant in which the file gets its name. By default an existing file is replaced. */
  readonly exclusive?: boolean
}

/**
 * The few things that the durable storage does with a disk; all of them off the main thread.
 * Failures are Node's own errors, which the caller interprets.
 */
export interface Disk {
  /** Names in a directory, sorted. Makes it, for its owner only, when it is absent. */
  names(directory: string): Promise<readonly string[]>
  read(path: string): Promise<Uint8Array>
  /** All or nothing, and durable with its name. Gives its size. The parts are asked for one after the other, as the disk takes them. */
  writeWhole(path: string, parts: Iterable<Uint8Array>, options?: WriteWholeOptions): Promise<number>
  openLog(path: string): Promise<LogFile>
  /** Durable when it ends. */
  truncate(path: string, size: number): Promise<void>
  remove(path: string): Promise<void>
  /** Ends in the next turn of the event loop. */
  turn(): Promise<void>
}
