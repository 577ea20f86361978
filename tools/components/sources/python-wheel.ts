import { mkdir, readdir } from "node:fs/promises"
import { join } from "node:path"
import { run } from "../run.ts"

/** Downloads one wheel from PyPI, without what it depends on; returns its path. */
export async function downloadWheel(options: { source: string; directory: string; signal: AbortSignal }): Promise<string> {
  const { source, directory, signal } = options
  await mkdir(directory, { recursive: true })
  await run({
    command: "python3",
    arguments: ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", directory, source],
    shown: `pip download ${source}`,
    signal,
    missing: "install Python 3 with pip and run the command again",
    failing: "see whether pip reaches its index and has that version for this platform (pip index versions), then run the command again",
  })
  const [wheel] = await readdir(directory)
  if (wheel === undefined) throw new Error(`expected pip to leave a wheel of ${source} in ${directory}, found nothing`)
  return join(directory, wheel)
}
