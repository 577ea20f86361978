import { PilothouseError } from "@pilothouse/seams"
import type { CustomOperation, RememberOperation } from "./plan.ts"

declare const executes: unique symbol

/** Executes one kind of custom operation. */
export interface Executor<O extends CustomOperation = CustomOperation> {
  readonly do: O["do"]
  /** For the compiler alone: `controller()` compares it with what the controller plans. */
  readonly [executes]?: O
  /**
   * Must be idempotent: a response can be lost, and the process can end between any two calls. settle receives its result as `value`.
   * Its result is ignored after the signal has aborted.
   */
  execute(operation: CustomOperation, signal: AbortSignal): Promise<unknown>
}

/** Creates an executor of a custom operation for `executors`: `executor("ensure-balancer", async ({ to }) => …)`. */
export function executor<O extends CustomOperation>(
  kind: O["do"],
  execute: (operation: O, signal: AbortSignal) => Promise<unknown>,
): Executor<O> {
  // An executor is called only with operations of its own kind.
  return { do: kind, execute: execute as Executor["execute"] }
}

/** Creates an executor of a remember operation: synchronous and idempotent. settle receives its result as `value`. */
export function remembers<O extends RememberOperation>(kind: O["do"], remember: (operation: O) => unknown): Executor<O> {
  return executor<O>(kind, async (operation) => remember(operation))
}

/** Returns the executor of an operation among those of the controller. */
export function findExecutor(operation: CustomOperation, executors: readonly Executor[]): Executor {
  const found = executors.find((one) => one.do === operation.do)
  if (found !== undefined) return found
  const known = executors.map((one) => one.do).join(", ") || "none"
  throw new PilothouseError(
    "INVALID",
    `expected an executor of "${operation.do}" among the controller's executors, found ${known}; add one`,
  )
}
