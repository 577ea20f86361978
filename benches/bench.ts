/** One line of a result: what was measured, ours beside theirs where there is a peer, and the goal it was held to. */
export interface Row {
  readonly what: string
  readonly ours: number
  readonly theirs?: number
  readonly unit: string
  readonly ratio?: number
  readonly goal?: string
  readonly met?: boolean
}

/** One question. */
export interface Bench {
  readonly name: string
  run(): Promise<readonly Row[]>
}
