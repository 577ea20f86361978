import type { Clock } from "../clock/clock.ts"
import { PilothouseError } from "../errors/errors.ts"
import type { FileFacts, Files, WriteOptions } from "./files.ts"

interface Entry {
  readonly facts: FileFacts
  readonly content: Uint8Array
}

/** Files in memory. Paths are absolute, with slashes. */
export function virtualFiles(clock: Pick<Clock, "now">): Files {
  /** By path, as `plain` gives it. Invariant between calls: what stands above an entry is a directory in here. The root is implied. */
  const entries = new Map<string, Entry>()

  const makePlainDirectory = (path: string, mode = 0o755): void => {
    const existing = entries.get(path)
    if (existing?.facts.directory || path === "") return
    if (existing) throw new PilothouseError("FILE", `expected a directory at ${path}, found a file; choose another path`)
    makePlainDirectory(parent(path))
    entries.set(path, { facts: { directory: true, size: 0, modified: clock.now(), mode }, content: new Uint8Array() })
  }

  const write = (given: string, content: string | Uint8Array, options: WriteOptions = {}): void => {
    const path = plain(given)
    const existing = entries.get(path)
    if (path === "" || existing?.facts.directory) throw notAFile(given)
    if (existing && options.exclusive) throw new PilothouseError("FILE", `expected no file at ${given}, found one; remove it first`)
    makePlainDirectory(parent(path))
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : Uint8Array.from(content)
    const mode = existing === undefined ? (options.mode ?? 0o644) : existing.facts.mode & (options.mode ?? 0o777)
    entries.set(path, { facts: { directory: false, size: bytes.length, modified: clock.now(), mode }, content: bytes })
  }

  const read = (given: string): Uint8Array | undefined => {
    const path = plain(given)
    const entry = entries.get(path)
    if (path === "" || entry?.facts.directory) throw notAFile(given)
    return entry && Uint8Array.from(entry.content)
  }

  const remove = (given: string): void => {
    const path = plain(given)
    for (const name of entries.keys()) if (name === path || name.startsWith(`${path}/`)) entries.delete(name)
  }

  const rename = (given: string, to: string): void => {
    if (moved(entries, plain(given), plain(to))) return
    throw new PilothouseError("FILE", `could not rename ${given} to ${to}; check that the one is there, and the other is free`)
  }

  const list = (given: string): readonly string[] => {
    const path = plain(given)
    for (let above = path; above !== ""; above = parent(above)) {
      if (entries.get(above)?.facts.directory === false) {
        throw new PilothouseError("FILE", `expected a directory at ${above}, found a file; choose another path`)
      }
    }
    const below = [...entries.keys()].filter((name) => parent(name) === path)
    return below.map((name) => name.slice(path.length + 1)).sort()
  }

  const makeDirectory = (path: string, mode?: number): void => makePlainDirectory(plain(path), mode)

  /** There are no links in memory. */
  const realPath = (given: string): string | undefined => {
    const path = plain(given)
    return path === "" || entries.has(path) ? path || "/" : undefined
  }

  return { read, write, remove, rename, list, makeDirectory, realPath, facts: (path) => entries.get(plain(path))?.facts }
}

/** False, and nothing is changed, when it cannot be moved there. */
function moved(entries: Map<string, Entry>, path: string, target: string): boolean {
  const [entry, other, above] = [path, target, parent(target)].map((name) => entries.get(name)?.facts.directory)
  if (entry === undefined || `${target}/`.startsWith(`${path}/`) || (parent(target) !== "" && !above)) return false
  const isFree = other === undefined || (other === entry && ![...entries.keys()].some((name) => parent(name) === target))
  if (!isFree) return false
  for (const [name, one] of [...entries].filter(([name]) => name === path || name.startsWith(`${path}/`))) {
    entries.delete(name)
    entries.set(`${target}${name.slice(path.length)}`, one)
  }
  return true
}

/** Without doubled and trailing slashes, "." and ".."; the root is "". */
function plain(path: string): string {
  if (!path.startsWith("/")) throw new PilothouseError("FILE", `expected an absolute path, found ${JSON.stringify(path)}`)
  const names: string[] = []
  for (const name of path.split("/")) {
    if (name === "..") names.pop()
    else if (name !== "" && name !== ".") names.push(name)
  }
  return names.map((name) => `/${name}`).join("")
}

function parent(path: string): string {
  return path.slice(0, path.lastIndexOf("/"))
}

function notAFile(path: string): PilothouseError {
  return new PilothouseError("FILE", `expected a file at ${path}, found a directory; choose another path`)
}
