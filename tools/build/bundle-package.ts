import { readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join, posix, relative } from "node:path"
import { type Plugin, rolldown } from "rolldown"
import { type Called, withEarlyFunctions } from "./compile-early.ts"
import type { Package } from "./packages.ts"

/** What becomes of a package's compiled files. Paths are relative to dist, with slashes. */
export interface BundlePlan {
  /** Whatever package.json names, and what those left alone import. */
  readonly entries: readonly string[]
  /** Those behind a star in package.json: users load few of many, and each on its own. */
  readonly leftAlone: readonly string[]
}

/** The modules of a package put together. Its inputs stay until it is finished. */
export interface PackageBundle {
  /** Writes the files; those functions that are called are compiled on loading (compile-early.ts). */
  write(called?: ReadonlyMap<string, Called>): Promise<void>
  /** Removes the modules that are in those files. */
  finish(): Promise<void>
}

/**
 * Puts the modules of a package together, a file for each of its entries: a hundred small files take three times as long to load as the same code in
 * one (measured: 100 ms and 35 ms for the runtime). What is imported dynamically stays apart, and is loaded when it is used. Source maps contain
 * the sources. Returns undefined where there is nothing to put together.
 */
export async function bundlePackage({ folder }: Package, root: string): Promise<PackageBundle | undefined> {
  const dist = join(root, "packages", folder, "dist")
  const { exports } = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"))
  const modules = new Map(modulesIn(dist).map((path) => [path, readFileSync(join(dist, path), "utf8")]))
  const { entries, leftAlone } = bundlePlan(exports ?? {}, modules)
  if (entries.length === 0) return undefined
  const alone = new Set(leftAlone.map((path) => join(dist, path)))
  // Both from memory: the first files that are written replace inputs of the second.
  const maps = new Map([...modules.keys()].map((path) => [join(dist, path), readFileSync(join(dist, `${path}.map`), "utf8")]))
  const made = new Set<string>()
  const write = async (called: ReadonlyMap<string, Called> = new Map()): Promise<void> => {
    const bundle = await rolldown({
      input: Object.fromEntries(entries.map((path) => [path.slice(0, -".js".length), join(dist, path)])),
      platform: "node",
      treeshake: false,
      external: (id, importer) => !/^[./]/.test(id) || (importer !== undefined && alone.has(join(dirname(importer), id))),
      plugins: [compiled(dist, modules, maps), earlyFunctions(dist, called)],
    })
    const names = { entryFileNames: "[name].js", chunkFileNames: "parts/[name].js" } as const
    const { output } = await bundle.write({ dir: dist, format: "esm", sourcemap: true, ...names })
    for (const { fileName } of output) made.add(fileName)
    await bundle.close()
  }
  const finish = async (): Promise<void> => {
    const gone = [...modules.keys()].filter((path) => !made.has(path) && !leftAlone.includes(path))
    for (const path of gone.flatMap((one) => [one, `${one}.map`])) rmSync(join(dist, path))
  }
  return { write, finish }
}

/** What the compiler wrote, with the way back to the sources. */
function compiled(dist: string, modules: ReadonlyMap<string, string>, maps: ReadonlyMap<string, string>): Plugin {
  return {
    name: "compiled",
    load(id) {
      const map = maps.get(id)
      const code = modules.get(relative(dist, id).replaceAll("\\", "/"))
      return map === undefined || code === undefined ? null : { code: code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n"), map }
    },
  }
}

function earlyFunctions(dist: string, called: ReadonlyMap<string, Called>): Plugin {
  return {
    name: "early functions",
    renderChunk(code, { fileName }) {
      const functions = called.get(join(dist, fileName))
      if (functions === undefined) return null
      const edited = withEarlyFunctions(code, functions)
      return { code: edited.toString(), map: edited.generateMap({ hires: "boundary" }).toString() }
    },
  }
}

export function bundlePlan(exports: Readonly<Record<string, unknown>>, modules: ReadonlyMap<string, string>): BundlePlan {
  const targets = Object.values(exports).flatMap(targetOf)
  const starred = targets.filter((target) => target.includes("*")).map((target) => target.split("*"))
  const leftAlone = [...modules.keys()].filter((path) =>
    starred.some(([before = "", after = ""]) => path.startsWith(before) && path.endsWith(after)),
  )
  const imported = leftAlone.flatMap((path) => importsOf(path, modules.get(path) ?? ""))
  const named = [...targets.filter((target) => !target.includes("*")), ...imported]
  return { entries: [...new Set(named)].filter((path) => modules.has(path) && !leftAlone.includes(path)), leftAlone }
}

/** "./dist/index.js" → "index.js". */
function targetOf(target: unknown): readonly string[] {
  if (typeof target !== "object" || target === null || !("default" in target) || typeof target.default !== "string") return []
  return target.default.startsWith("./dist/") ? [target.default.slice("./dist/".length)] : []
}

/** What the compiler wrote is regular enough to be read this way. */
function importsOf(path: string, text: string): readonly string[] {
  return [...text.matchAll(/\bfrom "(\.[^"]+)"/g)].map(([, id = ""]) => posix.join(posix.dirname(path), id))
}

function modulesIn(dist: string): readonly string[] {
  const all = readdirSync(dist, { recursive: true, encoding: "utf8" })
  return all.map((path) => path.replaceAll("\\", "/")).filter((path) => path.endsWith(".js"))
}
