import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** What a generator makes: it never writes itself, so that the test can compare what the program writes. */
export interface GeneratedFile {
  /** From the root of the workspace. */
  readonly path: string
  readonly content: string
}

const root = fileURLToPath(new URL("../..", import.meta.url))
export const folder = "packages/api/src/generated"

/** Stands first in every file, and only files that have it are ever removed. */
export const notice = (program: string): string => `// Written by \`npm run generate\` (tools/generate/${program}).\n`

export type Difference = { readonly path: string; readonly is: "missing" | "different" | "left over" }

/** What a run of `npm run generate` would change. */
export function differences(files: readonly GeneratedFile[]): Difference[] {
  const made = new Set(files.map((file) => file.path))
  const leftOver = existing().filter((path) => !made.has(path))
  return [
    ...files.flatMap((file): Difference[] => {
      const path = join(root, file.path)
      if (!existsSync(path)) return [{ path: file.path, is: "missing" }]
      return readFileSync(path, "utf8") === file.content ? [] : [{ path: file.path, is: "different" }]
    }),
    ...leftOver.map((path): Difference => ({ path, is: "left over" })),
  ]
}

/** Leaves the folder with exactly these files; unchanged ones are not touched. */
export function writeGenerated(files: readonly GeneratedFile[]): Difference[] {
  const changes = differences(files)
  const contents = new Map(files.map((file) => [file.path, file.content]))
  for (const { path } of changes) {
    const target = join(root, path)
    const content = contents.get(path)
    if (content === undefined) rmSync(target)
    else {
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, content)
    }
  }
  return changes
}

function existing(): string[] {
  if (!existsSync(join(root, folder))) return []
  const entries = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
  const files = entries.filter((path) => path.endsWith(".ts")).map((path) => `${folder}/${path}`)
  return files.filter((path) => readFileSync(join(root, path), "utf8").startsWith("// Written by `npm run generate`")).sort()
}
