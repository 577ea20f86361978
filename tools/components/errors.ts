interface Lack {
  /** Which component; added by the caller that knows it. */
  component?: string
  expected: string
  found: string
  todo: string
  cause?: unknown
}

/** A component that cannot be had on this machine: one sentence with what was expected, what was there, and what to do. */
export class CannotBeHad extends Error {
  override name = "CannotBeHad"
  readonly lack: Lack

  constructor(lack: Lack) {
    const subject = lack.component === undefined ? "" : `${lack.component} cannot be had: `
    super(`${subject}expected ${lack.expected}, found ${lack.found}; ${lack.todo}.`, { cause: lack.cause })
    this.lack = lack
  }
}

/** A name that is not in the table. Never the same as "not cached": a typo must not silently skip a test. */
export class UnknownComponent extends Error {
  override name = "UnknownComponent"
}

/** The user stopped it, by Ctrl-C or a signal. */
export class Interrupted extends Error {
  override name = "Interrupted"
}
