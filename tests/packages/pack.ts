import { readFileSync } from "node:fs"
import { join } from "node:path"
import { readPackages } from "../../tools/build/packages.ts"
import { run } from "./run.ts"

export interface Packed {
  readonly name: string
  readonly version: string
  /** The tarball's file name. */
  readonly filename: string
  /** Every path in it. */
  readonly paths: readonly string[]
  readonly manifest: { readonly exports?: Readonly<Record<string, unknown>>; readonly bin?: Readonly<Record<string, string>> }
}

export function packAll(root: string, into: string): readonly Packed[] {
  return readPackages(root).map(({ folder }) => {
    const home = join(root, "packages", folder)
    const said: { name: string; version: string; filename: string; files: { path: string }[] }[] = JSON.parse(
      run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", into], home),
    )
    const { name, version, filename, files } = said[0]!
    return {
      name,
      version,
      filename,
      paths: files.map(({ path }) => path),
      manifest: JSON.parse(readFileSync(join(home, "package.json"), "utf8")),
    }
  })
}

/** Every file that package.json names is there (the source condition is the workspace's own), and nothing that is only for tests. */
export function checkTarball({ paths, manifest }: Packed): void {
  const promised = [...Object.values(manifest.exports ?? {}).flatMap(targetsOf), ...Object.values(manifest.bin ?? {})]
  const missing = promised.filter((target) => !paths.some((path) => matches(target, path)))
  if (missing.length > 0) throw new Error(`expected ${missing.join(", ")} in the tarball, found ${paths.length} other files`)
  const surplus = paths.filter((path) => /\.(test|contract)\.|\/test-|\/testing\/|^src\//.test(path))
  if (surplus.length > 0) throw new Error(`expected no tests and sources in the tarball, found ${surplus.join(", ")}`)
}

function targetsOf(target: unknown): string[] {
  if (typeof target === "string") return [target]
  if (typeof target !== "object" || target === null) return []
  return Object.entries(target).flatMap(([condition, inner]) => (condition === "@pilothouse/source" ? [] : targetsOf(inner)))
}

/** "./dist/generated/*.js" matches any path with something in the place of the star. */
function matches(target: string, path: string): boolean {
  const [before = "", after] = target.replace(/^\.\//, "").split("*")
  return after === undefined ? path === before : path.startsWith(before) && path.endsWith(after)
}
