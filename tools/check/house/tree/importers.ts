import type { Import, Module } from "./module.ts"
import { isOwnSource } from "./place.ts"
import { exportTarget, isRelative, relativeTarget, splitSpecifier } from "./resolve.ts"
import type { Tree } from "./tree.ts"

/** The files that import each source file, and whether one does so by `import()` alone. */
export type Importers = ReadonlyMap<string, ReadonlyMap<string, "static" | "lazy">>

/** Who imports each source file of the packages, from any package. An index only lists what is public: the files that import its names count instead. */
export function importersOf(tree: Tree): Importers {
  const sources = tree.modules.filter(({ path }) => isOwnSource(path))
  const importers = new Map(sources.map(({ path }) => [path, new Map<string, "static" | "lazy">()]))
  const origins = originFinder(tree)
  for (const { path, imports } of sources.filter((source) => !isIndex(source.path)))
    for (const one of imports)
      for (const origin of origins(path, one)) {
        const known = importers.get(origin)
        if (origin !== path && known?.get(path) !== "static") known?.set(path, one.dynamic ? "lazy" : "static")
      }
  return importers
}

/** Finds the files that define what an import names. */
function originFinder({ modules, manifests }: Tree): (from: string, one: Import) => readonly string[] {
  const byPath = new Map(modules.map((module) => [module.path, module]))
  const packages = new Map(manifests.map((manifest) => [manifest.name, manifest]))
  const target = (from: string, specifier: string): string | undefined => {
    if (isRelative(specifier)) return relativeTarget(from, specifier)
    const { name, subpath } = splitSpecifier(specifier)
    const manifest = packages.get(name)
    return manifest && exportTarget(manifest, subpath)
  }
  const defining = (path: string, name: string): readonly string[] => {
    const index: Module | undefined = isIndex(path) ? byPath.get(path) : undefined
    if (index === undefined) return [path]
    return index.imports
      .filter(({ names }) => name === "*" || names.includes(name) || names.includes("*"))
      .flatMap(({ specifier }) => target(path, specifier) ?? [])
      .flatMap((next) => defining(next, name))
  }
  return (from, { specifier, names }) => {
    const path = target(from, specifier)
    if (path === undefined) return []
    return isIndex(path) ? names.flatMap((name) => defining(path, name)) : [path]
  }
}

function isIndex(path: string): boolean {
  return path.endsWith("/index.ts")
}
