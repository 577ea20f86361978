import type { Finding, Rule } from "../rule.ts"
import type { Module } from "../tree/module.ts"
import { placeOf } from "../tree/place.ts"
import { isRelative, splitSpecifier } from "../tree/resolve.ts"
import type { Manifest, Tree } from "../tree/tree.ts"

/** A package.json declares exactly what the package's sources import: nothing missing, nothing unused, nothing transitive. */
export const dependencies: Rule = {
  name: "dependencies",
  check(tree) {
    const root = tree.manifests.find(({ path }) => path === "package.json")
    const packages = tree.manifests.filter(({ path }) => placeOf(path).room !== undefined)
    return [...packages.flatMap((manifest) => checkPackage(manifest, tree, root)), ...checkRoot(tree, root)]
  },
}

function checkPackage(manifest: Manifest, tree: Tree, root: Manifest | undefined): Finding[] {
  const { room } = placeOf(manifest.path)
  const modules = tree.modules.filter(({ path }) => placeOf(path).room === room && placeOf(path).source)
  const declared = new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.optionalDependencies }))
  const forTests = new Set([...declared, ...Object.keys(root?.devDependencies ?? {}), ...tree.manifests.map(({ name }) => name)])
  const missing = modules.flatMap((module) =>
    placeOf(module.path).test
      ? undeclared(module, forTests, "package.json as a devDependency")
      : undeclared(module, declared, manifest.path),
  )
  return [...missing, ...unused(manifest, modules), ...otherVersions(manifest, tree)]
}

function undeclared({ path, imports }: Module, declared: ReadonlySet<string>, where: string): Finding[] {
  return imports.flatMap(({ specifier, line }) => {
    const name = packageName(specifier)
    if (name === undefined || declared.has(name)) return []
    return [{ file: path, line, expected: `${name} to be declared`, found: "an import only", fix: `add it to ${where}` }]
  })
}

/** A package that has no sources yet may say what it will need. */
function unused(manifest: Manifest, modules: readonly Module[]): Finding[] {
  const sources = modules.filter(({ path }) => !placeOf(path).test)
  if (sources.length === 0) return []
  const used = new Set(sources.flatMap(({ imports }) => imports.map(({ specifier }) => packageName(specifier))))
  return Object.keys(manifest.dependencies ?? {}).flatMap((name) =>
    used.has(name)
      ? []
      : [{ file: manifest.path, line: 1, expected: `${name} to be imported`, found: "no import", fix: "remove the dependency" }],
  )
}

/** One version for the whole workspace. */
function otherVersions(manifest: Manifest, { manifests }: Tree): Finding[] {
  const versions = new Map(manifests.map(({ name, version }) => [name, version]))
  return Object.entries(manifest.dependencies ?? {}).flatMap(([name, version]) => {
    const expected = versions.get(name)
    if (expected === undefined || expected === version) return []
    return [{ file: manifest.path, line: 1, expected: `${name} ${expected}`, found: version, fix: "give both the same version" }]
  })
}

/** Tools, tests, benches and examples live on the workspace's own devDependencies and packages. */
function checkRoot({ modules, manifests }: Tree, root: Manifest | undefined): Finding[] {
  const declared = new Set([...Object.keys({ ...root?.dependencies, ...root?.devDependencies }), ...manifests.map(({ name }) => name)])
  return modules.flatMap((module) =>
    placeOf(module.path).room === undefined ? undeclared(module, declared, "package.json as a devDependency") : [],
  )
}

function packageName(specifier: string): string | undefined {
  return isRelative(specifier) || specifier.startsWith("node:") ? undefined : splitSpecifier(specifier).name
}
