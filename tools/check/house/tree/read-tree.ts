import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseModule } from "./module.ts"
import type { Manifest, TextFile, Tree } from "./tree.ts"

// In a worktree of git, .git is a file.
const skipped: ReadonlySet<string> = new Set(["node_modules", "dist", ".git", ".pilothouse", "coverage"])

/** Kinds of files that have words in them; a name without an ending (LICENSE, .npmrc, .ci/run) counts too. */
const textual = /\.(ts|js|mjs|json|md|ya?ml|txt|sh|toml|html|css)$|(^|\/)\.?[a-zA-Z-]+$/

const modular = /\.(ts|js)$/

/** Reads the workspace from disk, or one folder of it. */
export function readTree(root: string, folder = ""): Tree {
  const texts = [...filesUnder(root, folder)]
    .filter((path) => textual.test(path))
    .map((path): TextFile => ({ path, text: readFileSync(join(root, path), "utf8") }))
  return {
    texts,
    modules: texts.filter(({ path }) => modular.test(path)).map(({ path, text }) => parseModule(path, text)),
    manifests: texts
      .filter(({ path }) => /^(packages\/[^/]+\/)?package\.json$/.test(path))
      .map(({ path, text }): Manifest => ({ ...JSON.parse(text), path })),
  }
}

function* filesUnder(root: string, folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`
    if (skipped.has(entry.name)) continue
    if (entry.isFile()) yield path
    else if (entry.isDirectory()) yield* filesUnder(root, path)
  }
}
