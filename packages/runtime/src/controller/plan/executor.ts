import { PilothouseError } from "@pilothouse/seams"
import type { CustomOperation, RememberOperation } from "./plan.ts"

/** Carries out one kind of custom operation. */
export interface Executor {
  readonly do: CustomOperation["do"]
  /**
   * Must be safe to repeat: an answer can be lost, and the process can end between any two calls. What it gives back reaches settle as `value`.
   * After the signal has aborted nobody waits for it any more.
   */
  execute(operation: CustomOperation, signal: AbortSignal): Promise<unknown>
}

/** How operations of a kind of your own are carried out, for `executors`: `executor("ensure-balancer", async ({ to }) => …)`. */
export function executor<O extends CustomOperation>(
  kind: O["do"],
  execute: (operation: O, signal: AbortSignal) => Promise<unknown>,
): Executor {
  // An executor is called only with operations of its own kind.
  return { do: kind, execute: execute as Executor["execute"] }
}

/** How something is remembered: at once, and again in the same way when it is told twice. What it gives back reaches settle as `value`. */
export function remembers<O extends RememberOperation>(kind: O["do"], remember: (operation: O) => unknown): Executor {
  return executor<O>(kind, async (operation) => remember(operation))
}

/** Finds the executor of an operation among those the controller brought. */
export function findExecutor(operation: CustomOperation, executors: readonly Executor[]): Executor {
  const found = executors.find((one) => one.do === operation.do)
  if (found !== undefined) return found
  const known = executors.map((one) => one.do).join(", ") || "none"
  throw new PilothouseError(
    "INVALID",
    `expected an executor of "${operation.do}" among the controller's executors, found ${known}; add one`,
  )
}
