/** Which half of a difference is wanted: a three-way merge takes deletions from one pair of objects and the rest from another. */
export interface DiffOptions {
  readonly additions: boolean
  readonly deletions: boolean
  readonly elementOrder: boolean
}
