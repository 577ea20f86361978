import { PilothouseError } from "@pilothouse/seams"
import type { Outcome } from "./reconcile.ts"
import { retryAfterOf } from "./retry-after.ts"

/** What follows a reconcile of a key. */
export type FollowUp =
  /** Nothing until something changes. */
  | { readonly do: "rest" }
  | { readonly do: "requeue-after"; readonly after: number }
  /** After the limiter's delay, and no later than the plan requests: periodic work (a node's lease) continues whatever else fails. */
  | { readonly do: "retry"; readonly within?: number }
  /** After the delay that the error names. */
  | { readonly do: "retry-after"; readonly after: number }
  /** Not until the object changes. */
  | { readonly do: "give-up" }

/** Milliseconds. A dry run changes nothing: an immediate reconcile would find the same state again. */
const dryRunDelay = 60_000

export function followUp({ requeueAfter, error, results }: Pick<Outcome, "requeueAfter" | "error" | "results">, dryRun = false): FollowUp {
  if (error === undefined) {
    const after = requeueAfter !== undefined && dryRun && results.length > 0 ? Math.max(requeueAfter, dryRunDelay) : requeueAfter
    // The other writer has changed the object, and that enqueues the key; but a conflict may come from a webhook or a proxy, and then nothing else would.
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

/** Whether an error is no refusal but a mistake in a program. */
export function isUnexpected(error: unknown): boolean {
  return error !== undefined && !(error instanceof PilothouseError)
}
