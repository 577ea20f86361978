import type { Clock } from "./clock.ts"
import { PilothouseError } from "./errors.ts"
import type { FileFacts, Files, WriteOptions } from "./files.ts"

interface Entry {
  readonly facts: FileFacts
  readonly content: Uint8Array
}

/** Files in memory. Paths are absolute, with slashes. */
export function virtualFiles(clock: Pick<Clock, "now">): Files {
  const entries = new Map<string, Entry>()

  const makeDirectory = (path: string, mode = 0o755): void => {
    const existing = entries.get(path)
    if (existing?.facts.directory || path === "" || path === "/") return
    if (existing) throw new PilothouseError("FILE", `expected a directory at ${path}, found a file; choose another path`)
    makeDirectory(parent(path))
    entries.set(path, { facts: { directory: true, size: 0, modified: clock.now(), mode }, content: new Uint8Array() })
  }

  const write = (path: string, content: string | Uint8Array, options: WriteOptions = {}): void => {
    const existing = entries.get(path)
    if (existing && options.exclusive) throw new PilothouseError("FILE", `expected no file at ${path}, found one; remove it first`)
    if (existing?.facts.directory) throw new PilothouseError("FILE", `expected a file at ${path}, found a directory; choose another path`)
    makeDirectory(parent(path))
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : Uint8Array.from(content)
    const mode = existing?.facts.mode ?? options.mode ?? 0o644
    entries.set(path, { facts: { directory: false, size: bytes.length, modified: clock.now(), mode }, content: bytes })
  }

  const read = (path: string): Uint8Array | undefined => {
    const entry = entries.get(path)
    if (entry?.facts.directory) throw new PilothouseError("FILE", `expected a file at ${path}, found a directory; choose another path`)
    return entry && Uint8Array.from(entry.content)
  }

  const remove = (path: string): void => {
    for (const name of entries.keys()) if (name === path || name.startsWith(`${path}/`)) entries.delete(name)
  }

  const list = (path: string): readonly string[] =>
    [...entries.keys()]
      .filter((name) => parent(name) === path)
      .map((name) => name.slice(path.length + 1))
      .sort()

  return { read, write, remove, list, makeDirectory, facts: (path) => entries.get(path)?.facts }
}

function parent(path: string): string {
  return path.slice(0, path.lastIndexOf("/"))
}
