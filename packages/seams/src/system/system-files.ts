import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname } from "node:path"
import { threadId } from "node:worker_threads"
import { messageOf, PilothouseError } from "../errors.ts"
import type { Files, WriteOptions } from "../files.ts"

export const systemFiles: Files = {
  read: (path) => ifPresent(path, "read", () => readFileSync(path)),
  list: (path) => namesIn(path),
  facts: (path) =>
    ifPresent(path, "look at", () => {
      const stat = statSync(path)
      return { directory: stat.isDirectory(), size: stat.size, modified: stat.mtimeMs, mode: stat.mode & 0o777 }
    }),
  write: (path, content, options) => guarded(path, "write", () => writeWhole(path, content, options)),
  remove: (path) => void ifPresent(path, "remove", () => rmSync(path, { recursive: true, force: true })),
  rename: (from, to) => guarded(from, `rename to ${to}`, () => renameSync(from, to)),
  makeDirectory: (path, mode = 0o755) => guarded(path, "make the directory", () => makeDirectories(path, mode)),
  realPath: (path) => ifPresent(path, "find", () => realpathSync(path)),
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path).sort()
  } catch (error) {
    if (isCode(error, "ENOENT")) return []
    throw fileError(path, "list", error)
  }
}

/** The content is made whole under another name beside the file, and then given the file's name in one step. */
function writeWhole(path: string, content: string | Uint8Array, { mode = 0o644, exclusive = false }: WriteOptions = {}): void {
  makeDirectories(dirname(path), 0o755)
  const kept = systemFiles.facts(path)?.mode ?? mode
  const temporary = `${path}.${process.pid}-${threadId}.new`
  try {
    writeFileSync(temporary, content, { mode: kept })
    // The mode given to open() is cut by the umask; a private key must not depend on it.
    chmodSync(temporary, kept)
    if (exclusive) takeFreeName(temporary, path)
    else renameSync(temporary, path)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** A rename would take the place of a file that is there; a link does not. */
function takeFreeName(temporary: string, path: string): void {
  try {
    linkSync(temporary, path)
  } catch (error) {
    if (isCode(error, "EEXIST")) throw error
    // Some network and container file systems have no links: exclusive still, though a reader may see a part for a moment.
    copyFileSync(temporary, path, constants.COPYFILE_EXCL)
  }
}

/** Below a file there is nothing: ENOTDIR is absence too. */
/** One by one: node's own recursive mkdir never ends where a file system says ENOENT to every mkdir, as /proc does. */
function makeDirectories(path: string, mode: number): void {
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) return
    throw new PilothouseError("FILE", `expected a directory at ${path}, found a file; choose another path`)
  }
  makeDirectories(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Somebody else made it in the meantime.
    if (!isCode(error, "EEXIST")) throw error
  }
}

function ifPresent<T>(path: string, doing: string, action: () => T): T | undefined {
  try {
    return action()
  } catch (error) {
    if (isCode(error, "ENOENT") || isCode(error, "ENOTDIR")) return undefined
    throw fileError(path, doing, error)
  }
}

function guarded<T>(path: string, doing: string, action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw fileError(path, doing, error)
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code
}

function fileError(path: string, doing: string, cause: unknown): PilothouseError {
  // The cause's message is Node's, with the path once more; it is in the sentence already.
  const full = isCode(cause, "ENOSPC") || isCode(cause, "EDQUOT")
  const todo = full ? "make room on that disk" : "check the path and its permissions"
  return new PilothouseError("FILE", `could not ${doing} ${path} (${messageOf(cause)}); ${todo}`, { cause })
}
