// The tree of a commit in a temporary folder, with packages installed and with the benches of this tree, so that both are asked the same questions.
import { execFileSync } from "node:child_process"
import {
  constants,
  copyFileSync,
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Replaced by those of this tree: the questions, and what asks them. They use only what packages export, so they usually run on older products too. */
const harness = ["benches", join("tools", "bench")]

export interface BaseTree extends Disposable {
  readonly folder: string
  /** In full. */
  readonly commit: string
}

/** The full name of a commit; throws where there is none of that name. */
export function resolveCommit(root: string, name: string): string {
  try {
    return git(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]).trim()
  } catch {
    throw new Error(`expected a commit after --base, found ${name}; git log --oneline lists them`)
  }
}

/** Checks a commit out into a folder of its own and installs its packages there; disposing removes both, and so does an early end of the process. */
export function makeBaseTree(root: string, commit: string): BaseTree {
  const parent = mkdtempSync(join(tmpdir(), "pilothouse-base-"))
  const folder = join(parent, "tree")
  const remove = () => {
    process.removeListener("exit", remove)
    removeWorktree(root, folder)
    rmSync(parent, { recursive: true, force: true })
  }
  process.once("exit", remove)
  try {
    git(root, ["worktree", "add", "--detach", "--quiet", folder, commit])
    installPackages(root, folder)
    for (const path of harness) {
      rmSync(join(folder, path), { recursive: true, force: true })
      cpSync(join(root, path), join(folder, path), { recursive: true })
    }
  } catch (error) {
    remove()
    throw error
  }
  return { folder, commit, [Symbol.dispose]: remove }
}

function removeWorktree(root: string, folder: string): void {
  try {
    git(root, ["worktree", "remove", "--force", folder])
  } catch {
    // The commit was never checked out: git has nothing to forget.
  }
}

/** Where this tree has every package of the other at the same version, files are linked, which takes a second and no room. */
function installPackages(root: string, folder: string): void {
  if (hasPackagesOf(lockOf(root), lockOf(folder))) linkFolder(join(root, "node_modules"), join(folder, "node_modules"))
  else execFileSync("npm", ["ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" })
}

interface Lock {
  readonly packages?: Readonly<Record<string, { readonly version?: string; readonly link?: boolean }>>
}

function lockOf(tree: string): Lock {
  return JSON.parse(readFileSync(join(tree, "package-lock.json"), "utf8"))
}

/** Whether an installation of one lock file has every package of the other: those that it has beyond them are not imported there. */
export function hasPackagesOf({ packages: have = {} }: Lock, { packages: wanted = {} }: Lock): boolean {
  const installed = Object.entries(wanted).filter(([place]) => place.includes("node_modules/"))
  return installed.every(([place, { version }]) => have[place] !== undefined && have[place].version === version)
}

/** Hard links of all files. What is made later must not be shared: bundles lie in .cache. */
export function linkFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    if (name === ".cache") continue
    const [source, target] = [join(from, name), join(to, name)]
    const found = lstatSync(source)
    // Relative ones: packages of the workspace are those of the new tree.
    if (found.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (found.isDirectory()) linkFolder(source, target)
    else linkFile(source, target)
  }
}

function linkFile(source: string, target: string): void {
  try {
    linkSync(source, target)
  } catch {
    // Another file system, or one without hard links.
    copyFileSync(source, target, constants.COPYFILE_FICLONE)
  }
}

function git(root: string, args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
}
