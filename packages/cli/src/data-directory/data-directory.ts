import { type Files, messageOf, PilothouseError, readText } from "@pilothouse/seams"
import { exportLine } from "../kubeconfig/kubeconfig.ts"
import type { Owner, OwnerSystem } from "./directory-owner.ts"

export interface DataDirectoryOptions {
  readonly files: Files
  readonly system: OwnerSystem
  readonly path: string
  /** Objects are kept in memory only. A file system without locks is accepted then: two processes would disturb each other, and lose nothing. */
  readonly ephemeral?: boolean
}

/** A data directory that this process owns. Disposing releases it to the next process. */
export interface DataDirectory extends Disposable {
  readonly path: string
  /**
   * Whether this process still owns the directory: another one may have been given it since its files were removed or replaced. Takes microseconds.
   */
  isOwner(): boolean
  /** Rejects once `isOwner` has answered false. */
  readonly lost: Promise<never>
  /** Says in the owner's file which cluster is up: for the error of a second process, and for `status` and `down`. */
  describeOwner(cluster: OwnedCluster): void
}

/** The cluster that an owner serves. */
export interface OwnedCluster {
  readonly url: string
  readonly kubeconfig: string
}

/** The lock of the kernel is on this file, which stays empty. It is never removed: another process may have it open. */
const lockName = "pilothouse.lock"
/**
 * Who has the directory, for people; and the fence: each owner makes it again before it reads anything, so an earlier owner finds another file there.
 */
const ownerName = "pilothouse.owner"

/** Makes the directory if it is not there, and keeps every other process out of it until it is disposed. */
export function openDataDirectory({ files, system, path, ephemeral = false }: DataDirectoryOptions): DataDirectory {
  try {
    const facts = files.facts(path)
    if (facts !== undefined && !facts.directory)
      throw new PilothouseError(
        "DATA_DIRECTORY",
        `expected a directory at ${path}, found a file; remove it or choose another with --data-dir`,
      )
    refuseForeign(path, files.list(path))
    files.makeDirectory(path, 0o700)
    using taking = new DisposableStack()
    const lock = takeLock(files, system, path, ephemeral)
    if (lock !== undefined) taking.use(lock)
    refuseRunning(files, system, path, lock !== undefined)
    const owned = own(files, system, path)
    taking.use(owned)
    const held = taking.move()
    return { ...owned, path, [Symbol.dispose]: () => held.dispose() }
  } catch (error) {
    if (error instanceof PilothouseError && error.code !== "FILE") throw error
    throw new PilothouseError(
      "DATA_DIRECTORY",
      `the data directory ${path} cannot be used: ${error instanceof PilothouseError ? error.message : messageOf(error)}; choose another with --data-dir`,
    )
  }
}

/** What a cluster in the background logs. */
export const backgroundLog = "up.log"

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
  backgroundLog,
  lockName,
  ownerName,
])
/** What a file system puts there itself. */
const harmless: ReadonlySet<string> = new Set(["lost+found", ".DS_Store"])

/** A home or project directory is no place for a cluster: its data would lie among other files, and be deleted with them. */
function refuseForeign(path: string, names: readonly string[]): void {
  if (names.some((name) => ours.has(name) || earlierHolder(name) !== undefined)) return
  const foreign = names.filter((name) => !harmless.has(name))
  if (foreign.length === 0) return
  const shown = `${foreign.slice(0, 3).join(", ")}${foreign.length > 3 ? ", …" : ""}`
  throw new PilothouseError(
    "DATA_DIRECTORY",
    `expected ${path} to be empty or a data directory of Pilothouse, found ${shown}; nothing was changed; choose another with --data-dir`,
  )
}

/** Undefined only for an ephemeral cluster on a file system without locks. */
function takeLock(files: Files, system: OwnerSystem, path: string, ephemeral: boolean): Disposable | undefined {
  const file = `${path}/${lockName}`
  makeLockFile(files, file)
  const held = ephemeral ? lockIfPossible(system, file) : system.lock(file)
  if (held === "unsupported") return undefined
  if (held !== undefined) return held
  throw inUse(path, ownerIn(files, path), system.self)
}

function lockIfPossible(system: Pick<OwnerSystem, "lock">, file: string): Disposable | "unsupported" | undefined {
  try {
    return system.lock(file)
  } catch (error) {
    if (error instanceof PilothouseError) return "unsupported"
    throw error
  }
}

/** For its owner only. Never opened where it exists: closing any descriptor of it would release the lock, if it is this process that has it. */
function makeLockFile(files: Files, file: string): void {
  if (files.facts(file) !== undefined) return
  try {
    files.write(file, "", { mode: 0o600, exclusive: true })
  } catch (error) {
    // Another process has made it in the meantime.
    if (files.facts(file) === undefined) throw error
  }
}

/**
 * Refuses a directory whose owner certainly runs although it does not hold the lock: its lock file was removed, the file system has no locks, or it
 * is of an earlier version. To the process that holds the lock a process number alone proves nothing: it may have been given to another process
 * since.
 */
function refuseRunning(files: Files, system: OwnerSystem, path: string, isLocked: boolean): void {
  const owner = ownerIn(files, path)
  const isConclusive = owner !== undefined && (owner.started !== undefined || !isLocked)
  if (isConclusive && system.isRunning(owner)) throw inUse(path, owner, system.self)
  for (const name of files.list(path)) {
    const pid = earlierHolder(name)
    if (pid === undefined) continue
    // The number alone says nothing: it may be that of a container, or have been given to another process since.
    const { self } = system
    if (pid !== self.pid && system.hasOpenFiles(pid, path)) throw inUse(path, { ...self, pid }, self)
    files.remove(`${path}/${name}`)
  }
}

type Owned = Omit<DataDirectory, "path">

function own(files: Files, system: OwnerSystem, path: string): Owned {
  const file = `${path}/${ownerName}`
  const { self } = system
  // Tells this owner's file from every other one, also where two processes have the same number and host.
  const id = system.newId()
  const write = (cluster?: OwnedCluster) => {
    const text = `${JSON.stringify({ ...self, id, cluster })}\n`
    files.write(file, text, { mode: 0o600 })
    return system.follow(file, text)
  }
  let isThere = write()
  const { promise: lost, reject } = Promise.withResolvers<never>()
  // A caller that does not wait for it must not see an unhandled rejection.
  lost.catch(() => {})
  const isOwner = () => {
    if (isThere()) return true
    isThere = () => false
    reject(takenOver(path, ownerIn(files, path), self))
    return false
  }
  return {
    isOwner,
    lost,
    describeOwner(cluster) {
      if (isOwner()) isThere = write(cluster)
    },
    [Symbol.dispose]() {
      if (isThere()) files.remove(file)
    },
  }
}

export interface OwnerRecord extends Owner {
  /** Absent until the cluster is up. */
  readonly cluster?: OwnedCluster
}

/** Bytes of an owner's file: it has half a kilobyte. */
const maxOwnerFile = 64 * 1024

/** Returns the process that has the directory, or had it last, by its owner file. Undefined when there is none, or nothing that can be read. */
export function ownerIn(files: Files, path: string): OwnerRecord | undefined {
  try {
    const file = `${path}/${ownerName}`
    if ((files.facts(file)?.size ?? 0) > maxOwnerFile) return undefined
    const record: unknown = JSON.parse(readText(files, file) ?? "null")
    return isOwnerRecord(record) ? record : undefined
  } catch {
    return undefined
  }
}

/**
 * The running process that has the directory. A file that came with a directory from elsewhere may name any process, and must not make it a target.
 */
export function runningOwner(files: Files, system: Pick<OwnerSystem, "isRunning" | "lock">, path: string): OwnerRecord | undefined {
  const owner = ownerIn(files, path)
  if (owner === undefined || !system.isRunning(owner)) return undefined
  // The moment when a process started is in no file that was written elsewhere. Where the system has no such moment, the lock of the kernel decides.
  return owner.started !== undefined || isLockHeld(files, system, path) ? owner : undefined
}

function isLockHeld(files: Files, system: Pick<OwnerSystem, "lock">, path: string): boolean {
  const file = `${path}/${lockName}`
  if (files.facts(file) === undefined) return false
  const lock = lockIfPossible(system, file)
  if (lock === undefined) return true
  if (lock !== "unsupported") lock[Symbol.dispose]()
  return false
}

function isOwnerRecord(record: unknown): record is OwnerRecord {
  if (typeof record !== "object" || record === null || !("pid" in record && "host" in record && isShownText(record.host))) return false
  // -1 and 0 are no processes: a signal to them goes to many.
  if (typeof record.pid !== "number" || !Number.isSafeInteger(record.pid) || record.pid <= 0) return false
  const texts = record as { readonly namespace?: unknown; readonly started?: unknown }
  if (![texts.namespace, texts.started].every((text) => text === undefined || isShownText(text))) return false
  return !("cluster" in record) || isOwnedCluster(record.cluster)
}

/** It is printed: what a terminal would obey is no part of it. */
function isShownText(value: unknown): value is string {
  return typeof value === "string" && !/\p{Cc}/u.test(value)
}

function isOwnedCluster(value: unknown): value is OwnedCluster {
  if (typeof value !== "object" || value === null || !("url" in value && "kubeconfig" in value)) return false
  return isShownText(value.url) && isShownText(value.kubeconfig)
}

function inUse(path: string, owner: OwnerRecord | undefined, self: Owner): PilothouseError {
  const taken = `the data directory ${path} is in use by ${named(owner, self)}; stop it, or choose another with --data-dir`
  return new PilothouseError("DATA_DIRECTORY_LOCKED", [taken, ...clusterLines(owner?.cluster)].join("\n"))
}

function clusterLines(cluster: OwnedCluster | undefined): readonly string[] {
  return cluster === undefined ? [] : [`A cluster is up there at ${cluster.url}:`, `  ${exportLine(cluster.kubeconfig)}`]
}

function takenOver(path: string, owner: OwnerRecord | undefined, self: Owner): PilothouseError {
  const found = owner === undefined ? "that its files were removed or replaced" : `it in use by ${named(owner, self)}`
  return new PilothouseError(
    "DATA_DIRECTORY_LOCKED",
    `expected ${path} to be the data directory of process ${self.pid}, found ${found}; this process acknowledged no write since, and ends: start it again with another --data-dir`,
  )
}

function named(owner: OwnerRecord | undefined, self: Owner): string {
  if (owner === undefined) return "another process"
  if (owner.host !== self.host) return `process ${owner.pid} on ${owner.host}`
  return owner.namespace === self.namespace ? `process ${owner.pid}` : `process ${owner.pid} of another container (${owner.namespace})`
}

/** The process that a file of the directory was the lock of, in earlier versions. */
function earlierHolder(name: string): number | undefined {
  const pid = /^lock-(\d+)$/.exec(name)?.[1]
  return pid === undefined ? undefined : Number(pid)
}
