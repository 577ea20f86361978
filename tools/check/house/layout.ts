import { layoutExceptions, registryTables } from "./layout-exceptions.ts"
import type { Module } from "./module.ts"
import { isOwnSource } from "./place.ts"
import { isRelative, relativeTarget } from "./resolve.ts"
import type { Finding, Rule } from "./rule.ts"

const maxFilesPerFolder = 20
const maxLines = 400
/** A file below this with a single importer beside it is a function of that importer. */
const minLinesOfItsOwn = 40
const maxSingleImporters = 0.3

/** Folders that can be overlooked and files with one subject each: neither crowds nor splinters. */
export const layout: Rule = {
  name: "layout",
  check({ modules }) {
    const sources = modules.filter(({ path }) => isOwnSource(path))
    const importers = importersOf(sources)
    return [
      ...crowdedFolders(sources),
      ...longFiles(sources),
      ...splinters(sources, importers),
      ...tooManySingleImporters(sources, importers),
    ]
  },
}

/** The files that import each file, and whether one does so by `import()` alone. */
type Importers = ReadonlyMap<string, ReadonlyMap<string, "static" | "lazy">>

function importersOf(sources: readonly Module[]): Importers {
  const importers = new Map(sources.map(({ path }) => [path, new Map<string, "static" | "lazy">()]))
  // An index only lists what is public: its users are the importers.
  for (const { path, imports } of sources.filter((source) => !source.path.endsWith("/index.ts")))
    for (const { specifier, dynamic } of imports.filter((one) => isRelative(one.specifier))) {
      const known = importers.get(relativeTarget(path, specifier))
      if (known?.get(path) !== "static") known?.set(path, dynamic ? "lazy" : "static")
    }
  return importers
}

function crowdedFolders(sources: readonly Module[]): readonly Finding[] {
  const folders = Map.groupBy(sources, ({ path }) => folderOf(path))
  return [...folders].flatMap(([folder, files]) =>
    files.length <= maxFilesPerFolder
      ? []
      : [
          {
            file: folder,
            line: 1,
            expected: `at most ${maxFilesPerFolder} source files in a folder`,
            found: String(files.length),
            fix: "group them by subject",
          },
        ],
  )
}

function longFiles(sources: readonly Module[]): readonly Finding[] {
  return sources.flatMap((module) => {
    const lines = lineCount(module)
    if (lines <= maxLines) return []
    return [{ file: module.path, line: maxLines, expected: `at most ${maxLines} lines`, found: String(lines), fix: "split it by subject" }]
  })
}

function splinters(sources: readonly Module[], importers: Importers): readonly Finding[] {
  return sources.flatMap((module) => {
    const [importer, ...others] = importers.get(module.path)?.keys() ?? []
    const lines = lineCount(module)
    if (importer === undefined || others.length > 0 || lines >= minLinesOfItsOwn || folderOf(importer) !== folderOf(module.path)) return []
    if (module.path in layoutExceptions) return []
    return [
      {
        file: module.path,
        line: 1,
        expected: `at least ${minLinesOfItsOwn} lines in a file with a single importer`,
        found: `${lines} lines, imported by ${importer.split("/").at(-1)}`,
        fix: "make it part of that file, or give the reason in layout-exceptions.ts",
      },
    ]
  })
}

/** A row of a registry table and a file that is loaded at its first use have one importer by design: they do not count. */
function tooManySingleImporters(sources: readonly Module[], importers: Importers): readonly Finding[] {
  const single = sources.filter(({ path }) => {
    const [only, ...others] = importers.get(path) ?? []
    return only !== undefined && others.length === 0 && only[1] === "static" && !(only[0] in registryTables)
  })
  const share = single.length / Math.max(1, sources.length)
  if (share <= maxSingleImporters) return []
  return [
    {
      file: "packages",
      line: 1,
      expected: `at most ${maxSingleImporters * 100} % of the source files with a single importer`,
      found: `${single.length} of ${sources.length} (${(share * 100).toFixed(1)} %)`,
      fix: "join files of one subject",
    },
  ]
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"))
}

function lineCount({ text }: Module): number {
  return text.split("\n").length - 1
}
