import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { makeBundle } from "./make-bundle.ts"

const day = 86_400_000

/**
 * Makes a bundle in a folder of its own, gets it ready where that is asked for, and only then names it in the list that the launcher reads: a program that is started before
 * that runs what was there. The bundle before stays: a program that runs from it loads parts of it later.
 */
export async function renewBundle<T>(bundles: string, root: string, getReady?: (folder: string) => Promise<T>): Promise<T | undefined> {
  mkdirSync(bundles, { recursive: true })
  const folder = mkdtempSync(join(bundles, "bundle-"))
  // Made for one user alone; others may start the program too.
  chmodSync(folder, statSync(bundles).mode & 0o777)
  try {
    const inputs = await makeBundle(folder, root)
    const result = await getReady?.(folder)
    const list = join(folder, "inputs.json")
    writeFileSync(list, JSON.stringify({ bundle: basename(folder), inputs }))
    removeOld(bundles, folder)
    // In one step, and from a file that no other run writes.
    renameSync(list, join(bundles, "inputs.json"))
    return result
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** All but the bundle that is listed until now, and those of the last day: another run may be making one, or a program still run from it. */
function removeOld(bundles: string, made: string): void {
  const now = statSync(made).mtimeMs
  const kept = new Set(["inputs.json", listed(bundles)])
  for (const name of readdirSync(bundles)) {
    const path = join(bundles, name)
    if (!kept.has(name) && now - statSync(path).mtimeMs > day) rmSync(path, { recursive: true, force: true })
  }
}

function listed(bundles: string): string | undefined {
  try {
    return JSON.parse(readFileSync(join(bundles, "inputs.json"), "utf8")).bundle
  } catch {
    // There is none yet.
    return undefined
  }
}
