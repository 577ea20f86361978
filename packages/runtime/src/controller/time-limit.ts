import { type Clock, milliseconds, PilothouseError, startTimeout, type Timeout } from "@pilothouse/seams"
import type { Controller } from "./controller.ts"

/** Milliseconds that one reconcile may take, by default. */
export const defaultTimeLimit = 300_000

/** The time limit of one reconcile, which begins now. */
export function timeLimitOf({ name, ...spec }: Controller, clock: Clock, outer: AbortSignal): Timeout {
  const timeout = milliseconds(spec.reconcileTimeout ?? defaultTimeLimit)
  const error = () =>
    new PilothouseError("TIMEOUT", `a reconcile of ${name} did not end within ${timeout} ms; the limit is set with reconcileTimeout`)
  return startTimeout({ clock, timeout, name: `time limit of ${name}`, signal: outer, error })
}
