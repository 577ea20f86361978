import type { Tree } from "./tree/tree.ts"

/** Something in the tree that breaks a rule. */
export interface Finding {
  readonly file: string
  readonly line: number
  readonly expected: string
  readonly found: string
  /** What to do about it. */
  readonly fix: string
}

/** A pure function over the tree, with the name it is reported under. */
export interface Rule {
  readonly name: string
  readonly check: (tree: Tree) => readonly Finding[]
}

export function describeFinding(rule: string, { file, line, expected, found, fix }: Finding): string {
  return `${file}:${line} ${rule}: expected ${expected}, found ${found}; ${fix}`
}
