// npm run lock: for maintainers, after `npm install` has changed a package-lock.json. Adds what npm left out: optional packages for other platforms, and
// checksums of packages that have none, as far as the registry that npm is configured for has them.
import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { promisify } from "node:util"
import { type LockEntries, placesWithoutIntegrity, withIntegrity, withOptionalEntries } from "./lock-file.ts"

for (const path of ["package-lock.json", "tools/check/package-lock.json"]) await completeLock(path)

async function completeLock(path: string): Promise<void> {
  const lock: { packages: LockEntries } = JSON.parse(readFileSync(path, "utf8"))
  const complete = withOptionalEntries(lock.packages)
  const checked = await withIntegrity(complete, integrityOf)
  writeFileSync(path, `${JSON.stringify({ ...lock, packages: checked }, undefined, 2)}\n`)
  const added = Object.keys(complete).length - Object.keys(lock.packages).length
  const [before, after] = [placesWithoutIntegrity(complete), placesWithoutIntegrity(checked)]
  console.log(`${added} optional packages for other platforms and ${before.length - after.length} checksums added to ${path}`)
  if (after.length > 0) console.log(`${after.length} packages have no checksum: the registry does not have\n  ${after.join("\n  ")}`)
}

async function integrityOf(name: string, version: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("npm", ["view", `${name}@${version}`, "dist.integrity"], { encoding: "utf8" })
    return stdout.trim() || undefined
  } catch {
    // The registry does not have it: the summary names it.
    return undefined
  }
}
