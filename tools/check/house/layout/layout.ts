import type { Finding, Rule } from "../rule.ts"
import { type Importers, importersOf } from "../tree/importers.ts"
import type { Module } from "../tree/module.ts"
import { isOwnSource, placeOf } from "../tree/place.ts"
import { layoutExceptions, registryTables } from "./layout-exceptions.ts"

const maxFilesPerFolder = 20
const maxLines = 400
/** A file below this with a single importer beside it is a function of that importer. */
const minLinesOfItsOwn = 40
const maxSingleImporters = 0.3

/** Folders that can be overlooked and files with one subject each: neither crowds nor splinters. */
export const layout: Rule = {
  name: "layout",
  check(tree) {
    const written = tree.modules.filter(({ path }) => !placeOf(path).generated)
    const importers = importersOf(tree)
    return [
      ...crowdedFolders(written.filter(({ path }) => !placeOf(path).test)),
      ...longFiles(written),
      ...splinters(
        written.filter(({ path }) => isOwnSource(path)),
        importers,
      ),
      ...tooManySingleImporters(importers),
    ]
  },
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

/** A row of a registry table is a file of its own, however small: the table would otherwise grow with each kind of row. */
function splinters(sources: readonly Module[], importers: Importers): readonly Finding[] {
  return sources.flatMap((module) => {
    const [importer, ...others] = importers.get(module.path)?.keys() ?? []
    const lines = lineCount(module)
    if (importer === undefined || others.length > 0 || lines >= minLinesOfItsOwn || folderOf(importer) !== folderOf(module.path)) return []
    if (module.path in layoutExceptions || importer in registryTables) return []
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

/** A row of a registry table and a file that is loaded at its first use have one importer by design: they count on neither side. */
function tooManySingleImporters(importers: Importers): readonly Finding[] {
  const counted = [...importers.values()].filter((of) => !isSingleByDesign(of))
  const single = counted.filter(({ size }) => size === 1)
  const share = single.length / Math.max(1, counted.length)
  if (share <= maxSingleImporters) return []
  return [
    {
      file: "packages",
      line: 1,
      expected: `at most ${maxSingleImporters * 100} % of the source files with a single importer`,
      found: `${single.length} of ${counted.length} (${(share * 100).toFixed(1)} %)`,
      fix: "join files of one subject",
    },
  ]
}

function isSingleByDesign(importers: ReadonlyMap<string, "static" | "lazy">): boolean {
  const [only, ...others] = importers
  return only !== undefined && others.length === 0 && (only[1] === "lazy" || only[0] in registryTables)
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"))
}

function lineCount({ text }: Module): number {
  return text.split("\n").length - 1
}
