import { messageOf, PilothouseError } from "@pilothouse/seams"

const wayOut = "put it back from a copy, or move the directory away to begin empty"

export function isDiskFull(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && (cause.code === "ENOSPC" || cause.code === "EDQUOT")
}

/** What is said to who asks how the storage is, without what nobody outside needs to know. */
export const diskFull = "the disk is full"
export const writeFault = "a write to the disk failed"
export const closed = "the storage is closed"

/** A write that could not be made durable. On a full disk the next one is tried again; after any other failure none is. */
export function writeFailed(directory: string, cause: unknown): PilothouseError {
  const full = isDiskFull(cause)
  const found = full ? diskFull : writeFault
  const until = full ? "takes no writes until there is room" : "takes no more writes"
  const todo = full ? "make room" : "look after the disk and restart"
  // The cause is in the text: as a cause it would be said once more behind what to do.
  return new PilothouseError(
    "STORAGE_FAILED",
    `${found} (${messageOf(cause)}): ${directory} ${until}, reads go on, and nothing that was acknowledged is lost; ${todo}`,
  )
}

export function storageClosed(directory: string): PilothouseError {
  return new PilothouseError("STORAGE_FAILED", `the storage in ${directory} is closed and takes no more writes; open it again`)
}

export function damaged(path: string, position: number, what: string): PilothouseError {
  return new PilothouseError("STORAGE_DAMAGED", `${path} is damaged at byte ${position}: ${what}; nothing was changed; ${wayOut}`)
}

export function missing(path: string, why: string): PilothouseError {
  return new PilothouseError("STORAGE_DAMAGED", `expected ${path}, ${why}; nothing was changed; ${wayOut}`)
}

export function newerLayout(path: string, layout: number, known: number): PilothouseError {
  return new PilothouseError(
    "STORAGE_LAYOUT",
    `${path} has layout ${layout}, this version of Pilothouse knows layouts up to ${known}; nothing was changed; use the version that wrote it, or a newer one`,
  )
}

export function foreignDirectory(directory: string, names: readonly string[]): PilothouseError {
  const shown = names.slice(0, 3).join(", ")
  return new PilothouseError(
    "DATA_DIRECTORY",
    `expected ${directory} to be empty or to hold a storage of Pilothouse, found ${shown}${names.length > 3 ? ", …" : ""}; nothing was changed; choose another directory`,
  )
}

export function foreignFile(path: string): PilothouseError {
  return new PilothouseError(
    "DATA_DIRECTORY",
    `expected ${path} to be a file of Pilothouse's storage, found something else; nothing was changed; choose another directory`,
  )
}

/** A file is whole before it has its name: it was emptied later. */
export function emptyFile(path: string): PilothouseError {
  return new PilothouseError("STORAGE_DAMAGED", `expected what a storage has in ${path}, found it empty; nothing was changed; ${wayOut}`)
}

export function unusable(directory: string, cause: unknown): PilothouseError {
  const todo = isDiskFull(cause) ? "make room on that disk" : "check the path and its permissions"
  return new PilothouseError("DATA_DIRECTORY", `the storage directory ${directory} cannot be used (${messageOf(cause)}); ${todo}`, {
    cause,
  })
}
