import { describeFinding, type Rule } from "../rule.ts"
import { parseModule } from "../tree/module.ts"
import type { Manifest, Tree } from "../tree/tree.ts"

/** A tree of a few small texts, by path. JSON files named package.json are its manifests. */
export function treeOf(files: Readonly<Record<string, string>>): Tree {
  const texts = Object.entries(files).map(([path, text]) => ({ path, text }))
  return {
    texts,
    modules: texts.filter(({ path }) => /\.(ts|js)$/.test(path)).map(({ path, text }) => parseModule(path, text)),
    manifests: texts.filter(({ path }) => path.endsWith("package.json")).map(({ path, text }): Manifest => ({ ...JSON.parse(text), path })),
  }
}

/** What a rule says of such a tree, as people read it, without the rule's name. */
export function findingsOf(rule: Rule, files: Readonly<Record<string, string>>): readonly string[] {
  return rule.check(treeOf(files)).map((finding) => describeFinding(rule.name, finding).replace(` ${rule.name}:`, ""))
}

/** The text of a package.json; every package has an index, and its own subpaths. */
export function manifest(
  name: string,
  more: { readonly subpaths?: Readonly<Record<string, string>>; readonly dependencies?: Readonly<Record<string, string>> } = {},
): string {
  const subpaths = { ".": "./src/index.ts", ...more.subpaths }
  const exports = Object.fromEntries(Object.entries(subpaths).map(([key, source]) => [key, { "@pilothouse/source": source }]))
  return JSON.stringify({ name, version: "0.1.0", exports, dependencies: more.dependencies })
}
