import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { messageOf, PilothouseError } from "../errors.ts"
import type { Files, WriteOptions } from "../files.ts"

export const systemFiles: Files = {
  read: (path) => ifPresent(path, "read", () => readFileSync(path)),
  list: (path) => ifPresent(path, "list", () => readdirSync(path).sort()) ?? [],
  facts: (path) =>
    ifPresent(path, "look at", () => {
      const stat = statSync(path)
      return { directory: stat.isDirectory(), size: stat.size, modified: stat.mtimeMs, mode: stat.mode & 0o777 }
    }),
  write: (path, content, options) => guarded(path, "write", () => writeWhole(path, content, options)),
  remove: (path) => guarded(path, "remove", () => rmSync(path, { recursive: true, force: true })),
  makeDirectory: (path, mode = 0o755) => guarded(path, "make the directory", () => void mkdirSync(path, { recursive: true, mode })),
}

function writeWhole(path: string, content: string | Uint8Array, { mode = 0o644, exclusive = false }: WriteOptions = {}): void {
  mkdirSync(dirname(path), { recursive: true })
  if (exclusive) return writeFileSync(path, content, { mode, flag: "wx" })
  const kept = systemFiles.facts(path)?.mode ?? mode
  const temporary = `${path}.${process.pid}.new`
  writeFileSync(temporary, content, { mode: kept })
  // The mode given to open() is cut by the umask; a private key must not depend on it.
  chmodSync(temporary, kept)
  renameSync(temporary, path)
}

function ifPresent<T>(path: string, doing: string, action: () => T): T | undefined {
  try {
    return action()
  } catch (error) {
    if (isMissing(error)) return undefined
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

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT"
}

function fileError(path: string, doing: string, cause: unknown): PilothouseError {
  return new PilothouseError("FILE", `could not ${doing} ${path} (${messageOf(cause)}); check the path and its permissions`, { cause })
}
