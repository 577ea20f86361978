import { PilothouseError } from "@pilothouse/seams"
import type { Outcome } from "./reconcile.ts"
import { retryAfterOf } from "./retry-after.ts"

/** What comes after a look at a key. */
export type FollowUp =
  /** All is well until something changes. */
  | { readonly do: "rest" }
  | { readonly do: "requeue-after"; readonly after: number }
  /** After the limiter's delay, and no later than the plan asked for: a beat (a node's lease) goes on whatever else fails. */
  | { readonly do: "retry"; readonly within?: number }
  /** When the error says that it makes sense. */
  | { readonly do: "retry-after"; readonly after: number }
  /** Only a change of the object can help. */
  | { readonly do: "give-up" }

/** Milliseconds. In a dry run nothing was done: whoever looks at once what came of it finds the same, again and again. */
const dryRunDelay = 60_000

export function followUp({ requeueAfter, error, results }: Pick<Outcome, "requeueAfter" | "error" | "results">, dryRun = false): FollowUp {
  if (error === undefined) {
    const after = requeueAfter !== undefined && dryRun && results.length > 0 ? Math.max(requeueAfter, dryRunDelay) : requeueAfter
    // Who was quicker has changed the object, and that wakes us; but a conflict may come from a webhook or a proxy, and then nothing else would.
    if (results.some((result) => result.ok === true && result.overtaken)) return { do: "retry", within: after }
    return after === undefined ? { do: "rest" } : { do: "requeue-after", after }
  }
  if (isTerminal(error)) return { do: "give-up" }
  const after = retryAfterOf(error)
  return after === undefined ? { do: "retry", within: requeueAfter } : { do: "retry-after", after }
}

export function isTerminal(error: unknown): boolean {
  return error instanceof PilothouseError && error.code === "TERMINAL"
}

/** Not refused by anybody, but a mistake in somebody's program. */
export function isUnexpected(error: unknown): boolean {
  return error !== undefined && !(error instanceof PilothouseError)
}
