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
  readonly manifest: Manifest
  /** "" where there is none. */
  readonly readme: string
}

interface Manifest {
  readonly exports?: Readonly<Record<string, unknown>>
  readonly bin?: Readonly<Record<string, string>>
  readonly keywords?: readonly string[]
  readonly engines?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
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
      readme: files.some(({ path }) => path === "README.md") ? readFileSync(join(home, "README.md"), "utf8") : "",
    }
  })
}

/**
 * Every file that package.json names is there (the source condition is the workspace's own), and nothing that is only for tests. Contract suites, and
 * what they use, are there where "./contract" exports them.
 */
export function checkTarball({ paths, manifest }: Packed): void {
  const promised = [...Object.values(manifest.exports ?? {}).flatMap(targetsOf), ...Object.values(manifest.bin ?? {})]
  const missing = promised.filter((target) => !paths.some((path) => matches(target, path)))
  if (missing.length > 0) throw new Error(`expected ${missing.join(", ")} in the tarball, found ${paths.length} other files`)
  const only = "./contract" in (manifest.exports ?? {}) ? /\.test\.|\/test-|^src\// : /\.(test|contract)\.|\/test-|\/testing\/|^src\//
  const surplus = paths.filter((path) => only.test(path))
  if (surplus.length > 0) throw new Error(`expected no tests and sources in the tarball, found ${surplus.join(", ")}`)
}

/** What a page on npm shows, what it takes to run it, and what a debugger needs. */
export function checkPage({ name, paths, manifest, readme }: Packed): void {
  const lines = readme.split("\n").length
  if (!readme.startsWith(`# ${name}\n`) || lines < 25 || lines > 200)
    throw new Error(`expected a README.md of 25 to 200 lines that begins with "# ${name}", found ${lines} lines`)
  if (!paths.includes("LICENSE")) throw new Error("expected a LICENSE, found none")
  if (!manifest.keywords?.includes("kubernetes")) throw new Error('expected keywords with "kubernetes", found none')
  if (manifest.engines?.node !== ">=24") throw new Error(`expected engines.node to be >=24, found ${manifest.engines?.node}`)
  const carried = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).filter((one) => /^node(-|$)/.test(one))
  if (carried.length > 0) throw new Error(`expected no Node among its dependencies, found ${carried.join(", ")}`)
  const unmapped = paths.filter(
    (path) => /^dist\/.*\.js$/.test(path) && !path.endsWith("rolldown-runtime.js") && !paths.includes(`${path}.map`),
  )
  if (unmapped.length > 0) throw new Error(`expected a source map for each file, found none for ${unmapped.join(", ")}`)
}

/** The program in a README; undefined where it shows a command. */
export function exampleOf({ readme }: Packed): string | undefined {
  return /```ts\n(.*?)```/s.exec(readme)?.[1]
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
