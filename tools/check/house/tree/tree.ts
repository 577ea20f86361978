import type { Module } from "./module.ts"

/** A package.json of the workspace. */
export interface Manifest {
  /** Where it stands, from the root: "packages/api/package.json". */
  readonly path: string
  readonly name: string
  readonly version: string
  readonly exports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export interface TextFile {
  readonly path: string
  readonly text: string
}

/** The whole workspace as the rules see it. Paths are from the root, with slashes. */
export interface Tree {
  readonly modules: readonly Module[]
  readonly manifests: readonly Manifest[]
  /** Every text file, modules included. */
  readonly texts: readonly TextFile[]
}
