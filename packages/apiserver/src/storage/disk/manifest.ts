import { join } from "node:path"
import type { Disk } from "./disk.ts"
import { damaged, missing } from "./failures.ts"
import { fileStart, type Manifest, readFileFrames } from "./layout.ts"
import { fileName, manifestName } from "./names.ts"

/**
 * Says which log is the newest, before anything is acknowledged that is in it. Logs name the one before them, so one that is missing between others is
 * noticed; without this one at the end would not be, and neither would the only one.
 */
export async function writeManifest(disk: Disk, directory: string, manifest: Manifest): Promise<void> {
  await disk.writeWhole(join(directory, manifestName), [fileStart(manifest)])
}

/** Refuses a directory whose newest log is gone. One behind it is fine: the run that began it ended before it could say so. */
export async function checkManifest(disk: Disk, directory: string, newest: number): Promise<Manifest> {
  const path = join(directory, manifestName)
  const content = await disk.read(path)
  const { header, end } = readFileFrames<Manifest>(path, content)
  if (typeof header.newest !== "number" || end !== content.length) throw damaged(path, end, "it does not say which log is the newest")
  if (newest >= header.newest) return header
  const found = newest === 0 ? "no log at all" : `${fileName("log", newest)} to be the newest`
  throw missing(join(directory, fileName("log", header.newest)), `which ${path} names, found ${found}`)
}
