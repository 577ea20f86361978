/** Which values of a row are better; `neither` for a figure of the machine or of the peer, which is printed and never judged. */
export type Better = "lower" | "higher" | "neither"

/** One line of a result: what was measured, ours beside theirs where there is a peer, and the goal it was held to. */
export interface Row {
  /** The same words in every run: rows of two runs are compared by it. */
  readonly what: string
  /** Figures of this run that stand beside `what`. */
  readonly note?: string
  readonly ours: number
  readonly theirs?: number
  readonly unit: string
  /** By default derived from the unit: rates are better when higher, everything else when lower. */
  readonly better?: Better
  readonly goal?: string
  readonly met?: boolean
}

export interface BenchOptions {
  /** False: no kube-apiserver, istiod, HAProxy, kuryr or client-node is started for comparison; `theirs` is left out. */
  readonly peers: boolean
  /** False: a question that has several sizes leaves out those that take minutes. */
  readonly all: boolean
  /** True: `prepare` of the bench has run in this tree, so what it builds is up to date. */
  readonly prepared: boolean
}

/** One question. */
export interface Bench {
  readonly name: string
  /** Takes minutes: part of a comparison with a base commit only with --all. */
  readonly long?: boolean
  run(options: BenchOptions): Promise<readonly Row[]>
}

/** What a file in benches/ exports. */
export interface BenchModule {
  readonly questions: readonly Bench[]
  /** Builds what the questions run. A comparison calls it once for each tree, not once for each round. */
  readonly prepare?: () => Promise<unknown>
  /** Ends what the questions share. */
  readonly finish?: () => Promise<void>
}
