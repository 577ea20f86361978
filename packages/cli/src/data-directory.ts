import { type Files, messageOf, PilothouseError, readText } from "@pilothouse/seams"

/** Whether a process with this id runs. */
export type IsRunning = (pid: number) => boolean

export interface DataDirectory extends Disposable {
  readonly path: string
  /** What whoever wants it too is told, besides that it is in use: where the cluster is that has it. */
  leaveWord(lines: readonly string[]): void
}

/** Makes the directory if it is not there, and keeps every other process out of it until it is disposed. */
export function openDataDirectory(files: Files, path: string, self: number, isRunning: IsRunning): DataDirectory {
  const lock = lockOf(path, self)
  try {
    const facts = files.facts(path)
    if (facts !== undefined && !facts.directory)
      throw new PilothouseError(
        "DATA_DIRECTORY",
        `expected a directory at ${path}, found a file; remove it or choose another with --data-dir`,
      )
    refuseForeign(path, files.list(path))
    files.makeDirectory(path, 0o700)
    takeLock(files, path, self, isRunning)
  } catch (error) {
    if (error instanceof PilothouseError && error.code !== "FILE") throw error
    throw new PilothouseError(
      "DATA_DIRECTORY",
      `the data directory ${path} cannot be used: ${error instanceof PilothouseError ? error.message : messageOf(error)}; choose another with --data-dir`,
    )
  }
  return {
    path,
    leaveWord: (lines) => files.write(lock, [self, ...lines].join("\n")),
    [Symbol.dispose]: () => files.remove(lock),
  }
}

/** What makes a directory one of ours: any of them. Each is readable to its owner only, or holds no secret. */
const ours: ReadonlySet<string> = new Set([
  "pki",
  "storage",
  "kubeconfig",
  "run",
  "volumes",
  "volumes-ephemeral",
  "kuryr.conf",
  "clouds.yaml",
])
/** What a file system puts there itself. */
const harmless: ReadonlySet<string> = new Set(["lost+found", ".DS_Store"])

/** Somebody's home or project is no place for a cluster: it would be left among other files, and be thrown away with them. */
function refuseForeign(path: string, names: readonly string[]): void {
  if (names.some((name) => ours.has(name) || holderOf(name) !== undefined)) return
  const foreign = names.filter((name) => !harmless.has(name))
  if (foreign.length === 0) return
  const shown = `${foreign.slice(0, 3).join(", ")}${foreign.length > 3 ? ", …" : ""}`
  throw new PilothouseError(
    "DATA_DIRECTORY",
    `expected ${path} to be empty or a data directory of Pilothouse, found ${shown}; nothing was changed; choose another with --data-dir`,
  )
}

/**
 * Every process that wants the directory puts a file of its own into it, then looks for those of others: of two that come at the same
 * moment at least one sees the other, so they never both go on. Files of processes that are gone are cleared away.
 */
function takeLock(files: Files, path: string, self: number, isRunning: IsRunning): void {
  files.write(lockOf(path, self), String(self))
  for (const holder of files.list(path).map(holderOf)) {
    if (holder === undefined || holder === self) continue
    if (isRunning(holder)) {
      files.remove(lockOf(path, self))
      const [, ...word] = (readText(files, lockOf(path, holder)) ?? "").split("\n")
      const taken = `the data directory ${path} is in use by process ${holder}; stop it, or choose another with --data-dir`
      throw new PilothouseError("DATA_DIRECTORY_LOCKED", [taken, ...word].join("\n"))
    }
    files.remove(lockOf(path, holder))
  }
}

function lockOf(path: string, pid: number): string {
  return `${path}/lock-${pid}`
}

/** The process that a file of the directory is the lock of. */
function holderOf(name: string): number | undefined {
  const pid = /^lock-(\d+)$/.exec(name)?.[1]
  return pid === undefined ? undefined : Number(pid)
}
