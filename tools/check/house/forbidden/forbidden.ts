import type { Finding, Rule } from "../rule.ts"
import type { Module } from "../tree/module.ts"
import { isOwnSource, placeOf } from "../tree/place.ts"
import { forbiddenInTests } from "./forbidden-names.ts"
import { forbiddenUses } from "./forbidden-uses.ts"
import { type SeamFile, seamFiles } from "./seam-files.ts"

/** What should be passed in is not reached for, outside the listed files; and the list has no entry too many. */
export function forbiddenOutside(listed: readonly SeamFile[]): Rule {
  return {
    name: "seams",
    check({ modules }) {
      const known = new Map(listed.map((entry) => [entry.file, entry]))
      const present = new Map(modules.map((module) => [module.path, module]))
      return [
        ...modules.flatMap((module) => reachedFor(module, known.get(module.path))),
        ...listed.flatMap((entry) => tooMany(entry, present.get(entry.file))),
      ]
    },
  }
}

export const forbidden: Rule = forbiddenOutside(seamFiles)

const fixes: Readonly<Record<string, string>> = {
  source:
    "take a Clock, Random, Files or Transport as a parameter; a file that implements one is listed in tools/check/house/forbidden/seam-files.ts",
  test: "use the virtual clock: a test that sleeps is a bug",
}

function reachedFor(module: Module, entry: SeamFile | undefined): Finding[] {
  const kind = kindOf(module.path)
  if (kind === undefined) return []
  return forbiddenUses(module)
    .filter(({ what }) => !entry?.uses.includes(what) && (kind === "source" || forbiddenInTests.includes(what)))
    .map(({ what, line }) => ({ file: module.path, line, expected: "what is outside to be passed in", found: what, fix: fixes[kind]! }))
}

function kindOf(path: string): "source" | "test" | undefined {
  if (isOwnSource(path)) return "source"
  return placeOf(path).test && placeOf(path).top !== "tests" ? "test" : undefined
}

function tooMany({ file, uses }: SeamFile, module: Module | undefined): Finding[] {
  const used = new Set(module && forbiddenUses(module).map(({ what }) => what))
  const idle = uses.filter((what) => !used.has(what))
  if (idle.length === 0) return []
  const found = module ? `no ${idle.join(", ")} in ${file}` : `no file ${file}`
  return [
    {
      file: "tools/check/house/forbidden/seam-files.ts",
      line: 1,
      expected: `every entry to be needed`,
      found,
      fix: "remove it from the list",
    },
  ]
}
