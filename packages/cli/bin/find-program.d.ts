export interface FoundProgram {
  readonly file: string
  /** What Node needs to run it. */
  readonly flags: readonly string[]
  readonly kind: "bundle" | "sources" | "dist"
}
export const workspace: string
export const bundlesFolder: string
export function findProgram(bundles?: string, root?: string): FoundProgram
