import { constants, open, write } from "node:fs"
import { writeFile } from "node:fs/promises"
import { promisify } from "node:util"

/** Milliseconds that a synced write of 1 KB takes, the median: over bytes that are there already, as the log does it. */
export async function syncTime(path: string): Promise<number> {
  const times: number[] = []
  await writeFile(path, Buffer.alloc(2 ** 20), { flush: true })
  const file = await promisify(open)(path, constants.O_RDWR | constants.O_DSYNC)
  for (let at = 0; at < 500; at++) {
    const started = performance.now()
    await promisify(write)(file, Buffer.alloc(1024, 120), 0, 1024, at * 1024)
    times.push(performance.now() - started)
  }
  return times.sort((left, right) => left - right)[250]!
}
