import { readFileSync } from "node:fs"

/** The version of this package: the same file in the sources and in an installed package. */
export function version(): string {
  const manifest: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  return manifest.version
}
