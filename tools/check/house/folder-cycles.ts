import type { Module } from "./module.ts"
import { isOwnSource } from "./place.ts"
import { isRelative, relativeTarget } from "./resolve.ts"
import type { Finding, Rule } from "./rule.ts"

/**
 * Pairs of folders that still import each other, each with its reason. The list only gets shorter: a pair that no longer does is reported too.
 */
export type KnownPairs = Readonly<Record<string, string>>

/** Dependencies between the folders of a package go one way, types included: a reader can begin at the bottom. */
export function folderCycles(known: KnownPairs): Rule {
  return {
    name: "folders",
    check({ modules }) {
      const edges = folderEdges(modules.filter(({ path }) => isOwnSource(path)))
      const mutual = [...edges.keys()].flatMap((pair) => {
        const [from = "", to = ""] = pair.split(" → ")
        return from < to && edges.has(`${to} → ${from}`) ? [`${from} ↔ ${to}`] : []
      })
      const stale = Object.keys(known).filter((pair) => !mutual.includes(pair))
      return [...mutual.filter((pair) => !(pair in known)).map((pair) => mutualFinding(pair, edges)), ...stale.map(staleFinding)]
    },
  }
}

/** The first import of each folder in another, by "from → to". A folder and its own sub-folders count as one way only where both import. */
function folderEdges(modules: readonly Module[]): ReadonlyMap<string, { readonly file: string; readonly line: number }> {
  const edges = new Map<string, { file: string; line: number }>()
  for (const { path, imports } of modules) {
    for (const { specifier, line } of imports) {
      if (!isRelative(specifier)) continue
      const [from, to] = [folderOf(path), folderOf(relativeTarget(path, specifier))]
      const edge = `${from} → ${to}`
      if (from !== to && !edges.has(edge)) edges.set(edge, { file: path, line })
    }
  }
  return edges
}

function mutualFinding(pair: string, edges: ReturnType<typeof folderEdges>): Finding {
  const [from, to] = pair.split(" ↔ ")
  const { file, line } = edges.get(`${from} → ${to}`)!
  const back = edges.get(`${to} → ${from}`)!
  return {
    file,
    line,
    expected: `imports between ${from} and ${to} in one direction`,
    found: `one back in ${back.file}:${back.line}`,
    fix: "move what both need to the lower of the two",
  }
}

function staleFinding(pair: string): Finding {
  return {
    file: "tools/check/house/known-folder-cycles.ts",
    line: 1,
    expected: "only pairs that import each other",
    found: pair,
    fix: "remove the entry",
  }
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"))
}
