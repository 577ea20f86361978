import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, resolve } from "node:path"
import { PilothouseError } from "../errors/errors.ts"
import type { WriteOptions } from "../files/files.ts"
import { systemRandom } from "./system-random.ts"

const random = systemRandom()
const defaultMode = 0o644
/** As Linux: more links than that are a link loop. */
const maxLinks = 40

/**
 * Makes the content whole under another name beside the file, and gives it the file's name in one step.
 * The other name is random and must be free (O_EXCL): a file or link that waits under it is never opened, and one that a crash has left is never met.
 */
export function replaceFile(named: string, content: string | Uint8Array, options: WriteOptions = {}): void {
  const path = options.followLink ? linkTarget(named) : named
  makeDirectories(dirname(path), 0o755)
  const existing = existingFile(path)
  const temporary = `${path}.${Buffer.from(random.bytes(8)).toString("hex")}.new`
  const handle = openSync(temporary, "wx", 0o600)
  try {
    writeThrough(handle, content, { path, existing, ...options })
    if (options.exclusive) takeFreeName(temporary, path)
    else renameSync(temporary, path)
  } finally {
    rmSync(temporary, { force: true })
  }
}

interface Write extends WriteOptions {
  readonly path: string
  readonly existing: Stats | undefined
}

/** Closes the handle in any case. */
function writeThrough(handle: number, content: string | Uint8Array, write: Write): void {
  try {
    writeFileSync(handle, content)
    keepOwner(handle, write)
    // After the owner, whose change may take bits away. The mode given to open() is cut by the umask; a private key must not depend on it.
    fchmodSync(handle, modeOf(write))
    // A name must not reach the disk before the content does: after a power failure the file would be empty, and a key is not recreated.
    if (isPrivate(write)) fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function modeOf({ existing, mode }: Write): number {
  return existing === undefined ? (mode ?? defaultMode) : existing.mode & 0o777 & (mode ?? 0o777)
}

/** Only its owner may read it: it holds a secret. */
function isPrivate({ mode = defaultMode }: WriteOptions): boolean {
  return (mode & 0o077) === 0
}

/**
 * A file that root replaces stays its owner's (`sudo pilothouse up --merge`). A secret does so only in a directory of that owner's: in another one,
 * such as /tmp, the file may have been put there to get the secret.
 */
function keepOwner(handle: number, { path, existing, ...options }: Write): void {
  const [user, group] = [process.geteuid?.(), process.getegid?.()]
  if (existing === undefined || user === undefined || (existing.uid === user && existing.gid === group)) return
  const isOurs = existing.uid === user || user !== 0
  if (!isOurs && isPrivate(options) && statSync(dirname(path)).uid !== existing.uid) {
    const found = `found one of user ${existing.uid}, who would get the secret`
    throw new PilothouseError("FILE", `expected no file or a file of user ${user} at ${path}, ${found}; remove it or choose another path`)
  }
  try {
    fchownSync(handle, isOurs ? user : existing.uid, existing.gid)
  } catch (error) {
    // A group that this user is no member of, or root without the right: then the file is this user's.
    if (!isCode(error, "EPERM")) throw error
  }
}

/** Undefined where nothing is, or a link, which is replaced as a whole. */
function existingFile(path: string): Stats | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isSymbolicLink() || found.isFile() || found.isDirectory()) return found?.isFile() ? found : undefined
  throw new PilothouseError("FILE", `expected a file at ${path}, found a device, pipe or socket; choose another path`)
}

/** The path that a link leads to, through others, whether or not something is there. A path that is no link leads to itself. */
function linkTarget(path: string, links = 0): string {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found?.isSymbolicLink()) return path
  if (links === maxLinks) throw new PilothouseError("FILE", `expected a file at ${path}, found a link loop; remove it`)
  const directory = realpathSync(dirname(path))
  refusePlanted(path, found, statSync(directory))
  return linkTarget(resolve(directory, readlinkSync(path)), links + 1)
}

/** The rule of Linux' fs.protected_symlinks, which does not hold for a program that reads the link itself. */
function refusePlanted(path: string, link: Stats, directory: Stats): void {
  const isShared = (directory.mode & 0o1002) === 0o1002
  if (!isShared || link.uid === process.geteuid?.() || link.uid === directory.uid) return
  throw new PilothouseError(
    "FILE",
    `expected a file or a link of this user at ${path}, found a link of user ${link.uid} in a world-writable directory; remove it or choose another path`,
  )
}

/** A rename would take the place of a file that is there; a link does not. */
function takeFreeName(temporary: string, path: string): void {
  try {
    linkSync(temporary, path)
  } catch (error) {
    if (isCode(error, "EEXIST")) throw error
    // Some network and container file systems have no links: exclusive still, though a reader may see a part for a moment.
    copyFileSync(temporary, path, constants.COPYFILE_EXCL)
    // The copy's mode is cut by the umask.
    chmodSync(path, statSync(temporary).mode & 0o777)
  }
}

/**
 * Makes the directory and those above it. One by one: node's own recursive mkdir never ends where a file system says ENOENT to every mkdir, as /proc
 * does.
 */
export function makeDirectories(path: string, mode: number): void {
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) return
    throw new PilothouseError("FILE", `expected a directory at ${path}, found a file; choose another path`)
  }
  makeDirectories(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process made it in the meantime.
    if (!isCode(error, "EEXIST")) throw error
  }
}

/** Reports whether the system refused with this code, such as "ENOENT". */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code
}
