import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Packed } from "./pack.ts"
import { run } from "./run.ts"

/** Makes the folder a project of its own that has the tarballs, and whatever they depend on from npm's cache or the configured registry. */
export function installTarballs(packed: readonly Packed[], tarballs: string, into: string): void {
  const dependencies = Object.fromEntries(packed.map(({ name, filename }) => [name, `file:${join(tarballs, filename)}`]))
  // A user who installs from the registry needs no overrides; here they keep npm from asking it for our own packages.
  const overrides = Object.fromEntries(packed.map(({ name }) => [name, `$${name}`]))
  writeFileSync(join(into, "package.json"), JSON.stringify({ name: "user", private: true, type: "module", dependencies, overrides }))
  run("npm", ["install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"], into)
}
