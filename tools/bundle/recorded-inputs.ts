import { readdirSync, statSync } from "node:fs"
import { join, relative, sep } from "node:path"
import type { Plugin } from "rolldown"

/** A file of the workspace, its size and its time. */
export type Input = readonly [path: string, size: number, time: number]

export interface RecordedInputs {
  /** Reports the sources as the bundler reads them. */
  readonly plugin: Plugin
  all(): readonly Input[]
}

/**
 * What a bundle is made of: sources, the manifests that say which file a name stands for, and one file that changes with every package that is
 * installed. Each is looked at before it is read: who saves it later has one of another time, and the bundle with the old text is not taken for new.
 */
export function recordInputs(root: string): RecordedInputs {
  const inputs = new Map<string, Input>()
  const look = (path: string) => {
    const { size, mtimeMs } = statSync(join(root, path))
    inputs.set(path, [path, size, mtimeMs])
  }
  for (const folder of readdirSync(join(root, "packages"))) look(`packages/${folder}/package.json`)
  look("node_modules/.package-lock.json")
  const ours = join(root, "packages") + sep
  // Files of which nothing is left count too: an index.ts that names another file tomorrow.
  const load = { order: "pre", handler: (id: string) => (id.startsWith(ours) ? look(relative(root, id)) : undefined) } as const
  return { plugin: { name: "inputs", load }, all: () => [...inputs.values()] }
}
