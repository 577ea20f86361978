import { readdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from "node:fs"
import { messageOf, PilothouseError } from "../errors/errors.ts"
import type { Files } from "../files/files.ts"
import { isCode, makeDirectories, replaceFile } from "./replace-file.ts"

/** The files of this machine. Writes replace a file atomically. */
export const systemFiles: Files = {
  read: (path) => ifPresent(path, "read", () => readFileSync(path)),
  list: (path) => namesIn(path),
  facts: (path) =>
    ifPresent(path, "look at", () => {
      const stat = statSync(path)
      return { directory: stat.isDirectory(), size: stat.size, modified: stat.mtimeMs, mode: stat.mode & 0o777 }
    }),
  write: (path, content, options) => guarded(path, "write", () => replaceFile(path, content, options)),
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

/** Below a file there is nothing: ENOTDIR is absence too. */
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
    // One of ours says what to do already.
    throw error instanceof PilothouseError ? error : fileError(path, doing, error)
  }
}

function fileError(path: string, doing: string, cause: unknown): PilothouseError {
  // The cause's message is Node's, with the path once more; it is in the sentence already.
  const full = isCode(cause, "ENOSPC") || isCode(cause, "EDQUOT")
  const todo = full ? "make room on that disk" : "check the path and its permissions"
  return new PilothouseError("FILE", `could not ${doing} ${path} (${messageOf(cause)}); ${todo}`, { cause })
}
