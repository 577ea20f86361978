/** A request of either protocol for one kind of resources, already decoded. */
export interface SotwRequest {
  /** All names that are wanted, each time. */
  readonly names: readonly string[]
  readonly version: string
  /** Of the response that it answers; "" where it answers none. */
  readonly nonce: string
  /** There where the response was refused. */
  readonly error?: string
}

/** A request of the delta protocol. */
export interface DeltaRequest {
  readonly subscribe: readonly string[]
  readonly unsubscribe: readonly string[]
  /** What a client holds that was connected before: name → version. */
  readonly initialVersions: ReadonlyMap<string, string>
  readonly nonce: string
  readonly error?: string
}
