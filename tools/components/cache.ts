import { accessSync, constants } from "node:fs"
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { type Component, label, type MakeContext } from "./component.ts"

/** Outside the tree: checkouts share it, and `git clean` leaves it. */
export function cacheRoot(environment: NodeJS.ProcessEnv = process.env, home = homedir()): string {
  // The XDG rule: a relative path counts as not set.
  const base = environment.XDG_CACHE_HOME?.startsWith("/") ? environment.XDG_CACHE_HOME : join(home, ".cache")
  return join(base, "pilothouse", "components")
}

export function componentDirectory(component: Component, root: string): string {
  return join(root, component.name, component.version)
}

export function binaryPath(directory: string, name: string): string {
  return join(directory, "bin", name)
}

/** Every program of the table must be there: a directory from before the table gained one counts as not cached. */
export function isCached(component: Component, root: string): boolean {
  const directory = componentDirectory(component, root)
  return component.binaries.every(({ name }) => isExecutable(binaryPath(directory, name)))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Whatever the reason, it cannot be run.
    return false
  }
}

/**
 * Makes a component in a folder of its own and renames its `bin` into place: there is a whole one or none, whenever this is
 * interrupted and however many do it at once.
 */
export async function makeInCache(
  component: Component,
  root: string,
  context: Omit<MakeContext, "directory">,
  check: Check,
): Promise<string> {
  const making = join(root, ".making")
  await mkdir(making, { recursive: true })
  await removeAbandoned(making)
  const directory = await mkdtemp(join(making, `${process.pid}-${label(component)}-`))
  try {
    await component.make({ directory, ...context })
    await check(component, directory)
    return await moveIntoPlace(component, root, directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Throws when the programs just made are not what the table says. */
export type Check = (component: Component, directory: string) => Promise<void>

async function moveIntoPlace(component: Component, root: string, directory: string): Promise<string> {
  const target = componentDirectory(component, root)
  await mkdir(target, { recursive: true })
  // Another process may have been faster: its programs may be running already, so they stay.
  if (isCached(component, root)) return target
  await rm(join(target, "bin"), { recursive: true, force: true })
  await rename(join(directory, "bin"), join(target, "bin"))
  return target
}

/** What a killed process left behind: folders are named after the process that makes in them. */
async function removeAbandoned(making: string): Promise<void> {
  for (const name of await readdir(making)) {
    if (!isRunning(Number.parseInt(name, 10))) await rm(join(making, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it runs, as another user.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
