import { close, constants, fdatasync, ftruncate, open as openNumber, write } from "node:fs"
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { promisify } from "node:util"
import type { Disk, LogFile } from "./disk.ts"
import { unfinished } from "./names.ts"

/** On Linux one call writes and syncs: half the way through the thread pool of a write and an fdatasync. Elsewhere the flag promises less. */
const syncedByOpen = process.platform === "linux" ? constants.O_DSYNC : 0

/** Only the owner: Secrets are in there. */
const mode = 0o600

export const systemDisk: Disk = {
  async names(directory) {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    return (await readdir(directory)).sort()
  },
  read: (path) => readFile(path),
  async writeWhole(path, parts) {
    const temporary = `${path}${unfinished}`
    try {
      const size = await withFile(temporary, "w", (file) => writeParts(file, parts))
      await rename(temporary, path)
      // The name is a line in the directory, which has a sync of its own.
      await withFile(dirname(path), "r", (directory) => directory.sync())
      return size
    } catch (error) {
      // On a full disk the half that was written is in the way.
      await rm(temporary, { force: true })
      throw error
    }
  },
  openLog: async (path) => logFile(await promisify(openNumber)(path, constants.O_RDWR | syncedByOpen)),
  truncate: (path, size) =>
    withFile(path, "r+", async (file) => {
      await file.truncate(size)
      await file.sync()
    }),
  remove: (path) => rm(path, { force: true }),
  turn: () =>
    new Promise((resolve) => {
      setImmediate(resolve)
    }),
}

/** With the plain number of an open file, which nobody else closes: a FileHandle is closed by the garbage collector. */
function logFile(file: number): LogFile {
  const writeAt = promisify(write)
  return {
    async write(bytes, position) {
      for (let done = 0; done < bytes.length; ) {
        // Less than asked is no error yet: on a full disk the next call says why.
        done += (await writeAt(file, bytes, done, bytes.length - done, position + done)).bytesWritten
      }
      if (syncedByOpen === 0) await promisify(fdatasync)(file)
    },
    truncate: (size) => promisify(ftruncate)(file, size),
    close: () => promisify(close)(file),
  }
}

async function writeParts(file: FileHandle, parts: Iterable<Uint8Array>): Promise<number> {
  let size = 0
  for (const part of parts) {
    await file.writeFile(part)
    size += part.length
  }
  await file.sync()
  return size
}

async function withFile<T>(path: string, flags: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  await using file = await open(path, flags, mode)
  return await work(file)
}
