import type { Finding, Rule } from "../rule.ts"
import type { Module } from "../tree/module.ts"
import { isOwnSource } from "../tree/place.ts"
import { isRelative, relativeTarget } from "../tree/resolve.ts"

/** Dependencies between the folders of a package go one way, types included: a reader can begin at the bottom. */
export const folderCycles: Rule = {
  name: "folders",
  check({ modules }) {
    const edges = folderEdges(modules.filter(({ path }) => isOwnSource(path)))
    return [...edges.keys()].flatMap((edge) => {
      const [from = "", to = ""] = edge.split(" → ")
      return from < to && edges.has(`${to} → ${from}`) ? [mutualFinding(from, to, edges)] : []
    })
  },
}

/** The first import of each folder in another, by "from → to". */
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

function mutualFinding(from: string, to: string, edges: ReturnType<typeof folderEdges>): Finding {
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

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"))
}
