// What tests and benches use to find real components. `cached` and `binary` only look; `ensure` downloads or compiles.
import { binaryPath, cacheRoot, componentDirectory, isCached } from "./cache.ts"
import type { Component } from "./component.ts"
import { components } from "./components.ts"
import { select } from "./select.ts"

export type { Binary, Component, Progress } from "./component.ts"
export { components } from "./components.ts"
export { type EnsureOptions, ensure, type Installed } from "./ensure.ts"
export { CannotBeHad, UnknownComponent } from "./errors.ts"

export interface LookOptions {
  root?: string
  table?: readonly Component[]
}

/** The rows of the table that a name such as `kubectl` or `kubectl@1.35` means, oldest first; UnknownComponent when there is none. */
export function describe(name: string, { table = components }: LookOptions = {}): Component[] {
  return select(table, name)
}

/** The directory of the newest cached version that matches, or undefined. Never downloads or compiles. */
export function cached(name: string, version?: string, { root = cacheRoot(), table = components }: LookOptions = {}): string | undefined {
  const found = select(table, version === undefined ? name : `${name}@${version}`).findLast((component) => isCached(component, root))
  return found && componentDirectory(found, root)
}

/** The path of one program, for instance `binary("kubernetes", "etcd")` or `binary("kubectl@1.35", "helm")`; undefined when not cached. */
export function binary(component: string, name: string, options: LookOptions = {}): string | undefined {
  const rows = describe(component, options)
  const known = rows.flatMap(({ binaries }) => binaries.map((binary) => binary.name))
  if (!known.includes(name)) throw new Error(`${component} has no program ${name}: it has ${[...new Set(known)].join(", ")}`)
  const directory = cached(component, undefined, options)
  return directory && binaryPath(directory, name)
}
