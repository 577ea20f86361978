import type { Finding, Rule } from "../rule.ts"
import type { Module } from "../tree/module.ts"
import { exportTarget, isRelative, relativeTarget, splitSpecifier } from "../tree/resolve.ts"
import type { Manifest } from "../tree/tree.ts"

/**
 * No file needs itself before it is there: no cycle of imports that are made at run time, over files and packages. Where `ofTypes` says so, types count
 * too: a strategy that named the type of the whole server drew 46 files into one ring, none of which could be read or tested alone.
 */
export const cycles: Rule = {
  name: "cycles",
  check({ modules, manifests }) {
    const graph = importGraph(modules, manifests)
    return [...rings(graph)].map((ring) => findingFor(ring, modules))
  },
}

const ofTypes: readonly string[] = ["packages/apiserver/src/"]

function countsTypes(path: string): boolean {
  return ofTypes.some((folder) => path.startsWith(folder))
}

type Graph = ReadonlyMap<string, readonly string[]>

function importGraph(modules: readonly Module[], manifests: readonly Manifest[]): Graph {
  const byName = new Map(manifests.map((manifest) => [manifest.name, manifest]))
  const targets = ({ path, imports }: Module): string[] =>
    imports.flatMap(({ specifier, typeOnly, dynamic }) => {
      if (dynamic || (typeOnly && !countsTypes(path))) return []
      return targetOf(path, specifier, byName) ?? []
    })
  return new Map(modules.map((module) => [module.path, targets(module)]))
}

function targetOf(from: string, specifier: string, byName: ReadonlyMap<string, Manifest>): string | undefined {
  if (isRelative(specifier)) return relativeTarget(from, specifier)
  const { name, subpath } = splitSpecifier(specifier)
  const manifest = byName.get(name)
  return manifest && exportTarget(manifest, subpath)
}

/** One ring per cycle that a depth-first walk closes; a file that is done is never gone into again. */
function* rings(graph: Graph): Generator<readonly string[]> {
  const done = new Set<string>()
  for (const start of graph.keys()) {
    const way: { readonly file: string; next: number }[] = done.has(start) ? [] : [{ file: start, next: 0 }]
    while (way.length > 0) {
      const here = way.at(-1)!
      const target = graph.get(here.file)?.[here.next++]
      if (target === undefined) done.add(way.pop()!.file)
      else if (way.some(({ file }) => file === target))
        yield way.slice(way.findIndex(({ file }) => file === target)).map(({ file }) => file)
      else if (!done.has(target) && graph.has(target)) way.push({ file: target, next: 0 })
    }
  }
}

function findingFor(ring: readonly string[], modules: readonly Module[]): Finding {
  const [file = "", next = file] = ring
  const module = modules.find(({ path }) => path === file)
  const name = next.split("/").at(-1)!
  const line = module?.imports.find(({ specifier, typeOnly }) => (!typeOnly || countsTypes(file)) && specifier.endsWith(name))?.line ?? 1
  return {
    file,
    line,
    expected: "no import cycle",
    found: [...ring, file].join(" → "),
    fix: `move what both need into a file of its own, or ${countsTypes(file) ? "let the one declare what it takes of the other" : "import only the type"}`,
  }
}
