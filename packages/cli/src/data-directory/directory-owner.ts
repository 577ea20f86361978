import { readdirSync, readFileSync, readlinkSync, type Stats, statSync } from "node:fs"
import { hostname } from "node:os"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import { systemRandom } from "@pilothouse/seams/system"

/** A process, distinguished from later ones with the same number and from those of other containers. */
export interface Owner {
  readonly pid: number
  readonly host: string
  /** Of its process numbers; absent where the system has none. */
  readonly namespace?: string
  /** The boot and the moment in it when the process started; absent where the system does not tell. */
  readonly started?: string
}

/** What the owner of a directory needs of the system, besides files. */
export interface OwnerSystem {
  readonly self: Owner
  /** A text that no other call returns, in any process. */
  newId(): string
  /** Takes a lock that the kernel keeps until it is disposed or the process ends, however that happens. Undefined when another opener has it. */
  lock(path: string): Disposable | undefined
  /** Whether this process certainly runs now. Of one in another container or on another machine nothing is known: false. */
  isRunning(owner: Owner): boolean
  /** Whether a process has a file below this directory open, as far as the system tells. */
  hasOpenFiles(pid: number, directory: string): boolean
  /** Returns a function that answers, within microseconds, whether the path still leads to the file that was written with this text. */
  follow(path: string, text: string): () => boolean
}

export const ownerSystem: OwnerSystem = {
  get self() {
    return { pid: process.pid, host: hostname(), namespace: linkTarget("/proc/self/ns/pid"), started: startOf(process.pid) }
  },
  newId: () => systemRandom().uuid(),
  lock,
  isRunning: (owner) => {
    if (owner.started === undefined) return owner.host === hostname() && canBeSignalled(owner.pid)
    return owner.namespace === linkTarget("/proc/self/ns/pid") && owner.started === startOf(owner.pid)
  },
  hasOpenFiles,
  follow,
}

/** SQLITE_BUSY: another connection has the lock. */
const busy = 5

/**
 * An exclusive transaction on an empty database that is never written: Node has no other way to a lock of the kernel (fcntl). Such a lock holds across
 * PID namespaces and containers, is released when its process ends, and is held neither by a zombie nor by a process that was forked.
 */
function lock(path: string): Disposable | undefined {
  const { DatabaseSync } = loadSqlite()
  const database = new DatabaseSync(path)
  try {
    // Without a journal file beside it: nothing is ever written that could be rolled back.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
    return { [Symbol.dispose]: () => database.close() }
  } catch (error) {
    database.close()
    if (error instanceof Error && "errcode" in error && error.errcode === busy) return undefined
    throw new PilothouseError(
      "DATA_DIRECTORY",
      `${path} cannot be locked (${messageOf(error)}); use a directory on a file system with POSIX locks, such as a local disk`,
      { cause: error },
    )
  }
}

/** Early versions of Node 24 warn that the module is new, which is of no use to a user who starts a cluster. */
function loadSqlite(): typeof import("node:sqlite") {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule("node:sqlite")
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Undefined for a process that is gone or a zombie, and where there is no /proc. */
function startOf(pid: number): string | undefined {
  try {
    // The name of the program, in parentheses, may hold anything.
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    const [state, ...fields] = text.slice(text.lastIndexOf(") ") + 2).split(" ")
    if (state === "Z" || state === "X") return undefined
    // Field 22 of proc(5), in clock ticks since the boot.
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}:${fields[18]}`
  } catch {
    return undefined
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

function canBeSignalled(pid: number): boolean {
  try {
    // Signal 0 asks without sending anything.
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it runs, and belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

function hasOpenFiles(pid: number, directory: string): boolean {
  try {
    const files = readdirSync(`/proc/${pid}/fd`).map((file) => linkTarget(`/proc/${pid}/fd/${file}`))
    return files.some((file) => file?.startsWith(`${directory}/`))
  } catch {
    return false
  }
}

/** Tells one file from another without reading it: the number of an inode is used again, the moment when it was made is another one then. */
type FileIdentity = Pick<Stats, "dev" | "ino" | "birthtimeMs">

function follow(path: string, text: string): () => boolean {
  let known = identityIf(path, text)
  return () => {
    try {
      const now = statSync(path, { throwIfNoEntry: false })
      if (now === undefined) return false
      if (known !== undefined && now.ino === known.ino && now.dev === known.dev && now.birthtimeMs === known.birthtimeMs) return true
      // Some file systems (FUSE, CIFS) give the same file another number after a while: the text decides.
      known = identityIf(path, text)
      return known !== undefined
    } catch {
      return false
    }
  }
}

/** The identity of the file at a path, when it has this text. Taken before the text is read: a file that replaces it between the two has another text. */
function identityIf(path: string, text: string): FileIdentity | undefined {
  const identity = statSync(path)
  return readFileSync(path, "utf8") === text ? identity : undefined
}
