import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { adaptDeclarations } from "./optional-members.ts"
import type { Package } from "./packages.ts"

/**
 * Files under src that are not published by themselves: tests, contract suites (they import vitest), and what only those use. The compiler follows
 * imports past this list, so that the suites which src/contract/index.ts names, the "./contract" of a package, are published with what they use.
 */
export const unpublished: readonly string[] = ["**/*.test.ts", "**/*.contract.ts", "**/testing/**"]

/** Writes a package's dist. Returns what the compiler says when it fails. */
export function buildPackage({ folder }: Package, root: string): string | undefined {
  const home = join(root, "packages", folder)
  rmSync(join(home, "dist"), { recursive: true, force: true })
  const { status, stdout, stderr } = spawnSync(process.execPath, ["tools/run.js", "tsc", "-p", writeConfig(home, folder, root)], {
    cwd: root,
    encoding: "utf8",
  })
  if (status !== 0) return `${stdout}${stderr}`
  adaptDeclarations(join(home, "dist"))
  return undefined
}

/** Out of the tree, because an editor would take a tsconfig beside the sources for theirs. */
function writeConfig(home: string, folder: string, root: string): string {
  const directory = join(root, "node_modules", ".cache", "pilothouse-build")
  mkdirSync(directory, { recursive: true })
  const file = join(directory, `${folder}.json`)
  writeFileSync(file, JSON.stringify(configFor(home, root), undefined, 2))
  return file
}

export function configFor(home: string, root: string): object {
  return {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      sourceMap: true,
      inlineSources: true,
      rewriteRelativeImportExtensions: true,
      // Without the source condition other packages are their dist: what users get is what is compiled against.
      customConditions: [],
      rootDir: join(home, "src"),
      outDir: join(home, "dist"),
    },
    include: [join(home, "src")],
    exclude: unpublished.map((pattern) => join(home, "src", pattern)),
  }
}
