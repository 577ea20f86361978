import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { readZip } from "./zip.ts"

/** Writes chosen programs of a zip archive into a folder. `programs`: name to give → path in the archive. */
export async function unpackPrograms(options: { zip: Buffer; programs: Record<string, string>; into: string }): Promise<void> {
  const entries = readZip(options.zip)
  await mkdir(options.into, { recursive: true })
  for (const [name, path] of Object.entries(options.programs)) {
    const entry = entries.get(path)
    if (entry === undefined) throw new Error(`expected ${path} in the archive, found ${[...entries.keys()].join(", ")}`)
    // Always executable: wheels do not keep the mode.
    await writeFile(join(options.into, name), entry.read(), { mode: 0o755 })
  }
}
