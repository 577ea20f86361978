/** What a shell completes for a command. */
export interface Known {
  readonly name: string
  readonly about: string
  readonly flags: readonly KnownFlag[]
  /** Words that the first argument is one of: "bash" of `completion`, the kinds of `get`. */
  readonly choices: readonly string[]
  readonly commands: readonly Known[]
}

export interface KnownFlag {
  /** "--output" or "-o" */
  readonly flag: string
  /** What may follow it, where that is one of a few words. */
  readonly values: readonly string[]
}
