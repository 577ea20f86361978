import { messageOf, PilothouseError } from "@pilothouse/seams"

const wayOut = "put it back from a copy, or move the directory away to begin empty"

/** No room: the next write may find some. */
const fullCodes: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"])
/**
 * The process or the system is short of something (descriptors, memory) or was interrupted: the next call may succeed. A write that ends so is cut off
 * and written again in full, so it does not matter how much of it the disk has.
 */
const exhaustedCodes: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE", "EAGAIN", "EINTR", "ENOMEM"])
const syncCalls: ReadonlySet<unknown> = new Set(["fsync", "fdatasync"])

/**
 * What a failed call to the disk means for later writes. "full" and "exhausted" pass. "failed" and "lost" last until the storage is opened again: after a
 * failed sync the kernel may have dropped what it could not write, so a second sync that succeeds proves nothing; and a process that no longer owns the
 * directory must not write to it.
 */
export type Fault = "full" | "exhausted" | "failed" | "lost"

export function faultOf(cause: unknown): Fault {
  if (cause instanceof OwnershipLost) return "lost"
  const { code, syscall } = systemError(cause)
  if (fullCodes.has(code)) return "full"
  return exhaustedCodes.has(code) && !syncCalls.has(syscall) ? "exhausted" : "failed"
}

export function isDiskFull(cause: unknown): boolean {
  return faultOf(cause) === "full"
}

/** The device could not write: of no file of this storage it is known any more what a later sync means. */
export function isDeviceError(cause: unknown): boolean {
  return systemError(cause).code === "EIO"
}

/** A file that was to be created exists. */
export function isExisting(cause: unknown): boolean {
  return systemError(cause).code === "EEXIST"
}

/** The process has no free descriptor, or the system has none. */
export function isOutOfDescriptors(cause: unknown): boolean {
  const { code } = systemError(cause)
  return code === "EMFILE" || code === "ENFILE"
}

export function lastsFor(fault: Fault): boolean {
  return fault === "failed" || fault === "lost"
}

/** The two fields that Node puts on an error of a system call. */
function systemError(cause: unknown): { readonly code?: unknown; readonly syscall?: unknown } {
  return cause instanceof Error ? (cause as NodeJS.ErrnoException) : {}
}

/** Another process has the directory now. */
export class OwnershipLost extends Error {}

/** The reasons that health checks answer with, without details of this machine. */
export const refusalReasons: Readonly<Record<Fault, string>> = {
  full: "the disk is full",
  exhausted: "the system is short of resources",
  failed: "a write to the disk failed",
  lost: "another process owns the data directory",
}
export const closed = "the storage is closed"

/** How long no write is taken, and what to do about it. */
const outlooks: Readonly<Record<Fault, readonly [until: string, todo: string]>> = {
  full: ["takes no writes until there is room", "make room"],
  exhausted: ["takes no writes until that has passed", "end what holds many connections or files, or raise the limit (ulimit -n)"],
  failed: ["takes no more writes", "look after the disk and restart"],
  lost: ["takes no more writes from this process", "stop this process and use the one that owns it"],
}

/** A write that could not be made durable. After a failure that passes the next one is tried again; after any other none is. */
export function writeFailed(directory: string, cause: unknown): PilothouseError {
  const fault = faultOf(cause)
  const [until, todo] = outlooks[fault]
  // The cause is in the text: as a cause it would be said once more behind what to do.
  return new PilothouseError(
    "STORAGE_FAILED",
    `${refusalReasons[fault]} (${messageOf(cause)}): ${directory} ${until}, reads go on, and nothing that was acknowledged is lost; ${todo}`,
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
