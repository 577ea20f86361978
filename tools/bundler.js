import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"

/**
 * Reports whether rolldown, which makes bundles and is part of vitest, can run in a workspace. Its binary is an optional package, which npm leaves out
 * where the Node that npm runs on is too old for it: Node 18, whatever Node runs the tools afterwards.
 */
export function hasBundler(workspace) {
  const folder = join(workspace, "node_modules", "@rolldown")
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith("binding-"))
}

/** What to do without one. */
export const withoutBundler = "npm under Node 18 leaves out the binary of rolldown; npm ci under Node 20.19 or newer installs it"
