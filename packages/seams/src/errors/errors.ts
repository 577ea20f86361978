import { type ErrorCode, errorCodes } from "./error-codes.ts"

/** The cause of an error, and what differs from the table of codes. */
export interface ErrorDetails {
  readonly cause?: unknown
  /** Overrides what the table says of the code, where one occurrence differs. */
  readonly retryable?: boolean
}

/**
 * The base of every error Pilothouse throws on purpose.
 * The message says what was expected, what was found and what to do; the code is stable and listed in docs/reference/errors.md.
 */
export class PilothouseError extends Error {
  override readonly name: string = "PilothouseError"
  readonly code: ErrorCode
  /** True when the same call may succeed later without any change. */
  readonly retryable: boolean

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.retryable = details.retryable ?? errorCodes[code].retryable
  }
}

/** Reports whether the same call may succeed later; false for errors of other libraries. */
export function isRetryable(error: unknown): boolean {
  return error instanceof PilothouseError && error.retryable
}

/** Returns the message of anything that was thrown, with the messages of its causes. */
export function messageOf(thrown: unknown): string {
  const seen = new Set<unknown>()
  const messages: string[] = []
  for (let next = thrown; next !== undefined && !seen.has(next); next = next instanceof Error ? next.cause : undefined) {
    seen.add(next)
    const message = ownMessage(next)
    // A wrapping error often repeats the message of its cause.
    if (!`: ${messages.at(-1)}`.endsWith(`: ${message}`)) messages.push(message)
  }
  return messages.length === 0 ? "undefined" : messages.join(": ")
}

function ownMessage(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  // Node answers a refused connection to a name with two addresses with an AggregateError that has no message of its own.
  if (thrown.message === "" && thrown instanceof AggregateError) return thrown.errors.map(messageOf).join("; ")
  return thrown.message === "" ? thrown.name : thrown.message
}
