import { randomUUID } from "node:crypto"
import { close, constants, existsSync, fdatasync, fsync, ftruncate, open, write } from "node:fs"
import { link, mkdir, readdir, readFile, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { promisify } from "node:util"
import type { DescriptorReserve } from "./descriptor-reserve.ts"
import type { Disk, LogFile } from "./disk.ts"
import { isOutOfDescriptors } from "./failures.ts"
import { unfinished } from "./names.ts"

/** On Linux one call writes and syncs: half the way through the thread pool of a write and an fdatasync. Elsewhere the flag promises less. */
const syncedByOpen = process.platform === "linux" ? constants.O_DSYNC : 0

/** Only the owner: Secrets are in there. */
const mode = 0o600

const openAsync = promisify(open)
const closeAsync = promisify(close)
const writeAsync = promisify(write)
const truncateAsync = promisify(ftruncate)
const syncAsync = promisify(fsync)

/** The system's disk. The reserve is the caller's to release. */
export function createSystemDisk(reserve: DescriptorReserve): Disk {
  const files = new OpenFiles(reserve)
  return {
    async names(directory) {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      return (await readdir(directory)).sort()
    },
    read: (path) => readFile(path),
    async writeWhole(path, parts, { exclusive = false } = {}) {
      // With a name of its own: another process may be writing the same file, and must not find this one's bytes in it.
      const temporary = `${path}.${randomUUID().slice(0, 8)}${unfinished}`
      try {
        const size = await files.with(temporary, "wx", (file) => writeParts(file, parts))
        await (exclusive ? renameExclusively(temporary, path) : rename(temporary, path))
        // The name is a line in the directory, which has a sync of its own.
        await files.with(dirname(path), "r", syncAsync)
        return size
      } catch (error) {
        // On a full disk the half that was written is in the way.
        await rm(temporary, { force: true })
        throw error
      }
    },
    openLog: async (path) => logFile(files, await files.open(path, constants.O_RDWR | syncedByOpen)),
    truncate: (path, size) => files.with(path, "r+", (file) => cut(file, size)),
    remove: (path) => rm(path, { force: true }),
    turn: () =>
      new Promise((resolve) => {
        setImmediate(resolve)
      }),
  }
}

/** File systems without hard links answer with one of these. */
const withoutLinks: ReadonlySet<unknown> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"])

/** A rename replaces an existing file and a link does not. Without hard links, another process can still create the file between the check and the rename. */
async function renameExclusively(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && withoutLinks.has(error.code))) throw error
    if (existsSync(to)) throw Object.assign(new Error(`EEXIST: file already exists, rename '${from}' -> '${to}'`), { code: "EEXIST" })
    return rename(from, to)
  }
  await rm(from)
}

/** Opens and closes files, with a spare descriptor where the process has no other. By plain numbers: the garbage collector closes a FileHandle. */
class OpenFiles {
  readonly #reserve: DescriptorReserve

  constructor(reserve: DescriptorReserve) {
    this.#reserve = reserve
  }

  async open(path: string, flags: string | number): Promise<number> {
    try {
      return await openAsync(path, flags, mode)
    } catch (error) {
      const file = isOutOfDescriptors(error) ? this.#reserve.open(path, flags, mode) : undefined
      if (file === undefined) throw error
      return file
    }
  }

  /** In one turn of the event loop where a spare is missing: the descriptor would be taken before the spare is back. */
  async close(file: number): Promise<void> {
    if (this.#reserve.isShort) this.#reserve.close(file)
    else await closeAsync(file)
  }

  async with<T>(path: string, flags: string, work: (file: number) => Promise<T>): Promise<T> {
    const file = await this.open(path, flags)
    try {
      return await work(file)
    } finally {
      await this.close(file)
    }
  }
}

function logFile(files: OpenFiles, file: number): LogFile {
  return {
    async write(bytes, position) {
      await writeAll(file, bytes, position)
      if (syncedByOpen === 0) await promisify(fdatasync)(file)
    },
    truncate: (size) => truncateAsync(file, size),
    cut: (size) => cut(file, size),
    close: () => files.close(file),
  }
}

async function cut(file: number, size: number): Promise<void> {
  await truncateAsync(file, size)
  await syncAsync(file)
}

async function writeParts(file: number, parts: Iterable<Uint8Array>): Promise<number> {
  let size = 0
  for (const part of parts) {
    await writeAll(file, part, size)
    size += part.length
  }
  await syncAsync(file)
  return size
}

/** Fewer bytes than requested are no error yet: on a full disk the next call says why. */
async function writeAll(file: number, bytes: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await writeAsync(file, bytes, done, bytes.length - done, position + done)).bytesWritten
  }
}
