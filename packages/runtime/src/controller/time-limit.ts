import { abortWith, type Clock, milliseconds, PilothouseError } from "@pilothouse/seams"
import type { Controller } from "./controller.ts"

/** Milliseconds one look may take, unless the controller says otherwise. */
export const defaultTimeLimit = 300_000

export interface TimeLimit extends Disposable {
  /** Aborts when the time is over, and when the outer signal does. */
  readonly signal: AbortSignal
  /** The error to tell when the time is over. */
  passed(): PilothouseError | undefined
}

export function timeLimitOf({ name, ...spec }: Controller, clock: Clock, outer: AbortSignal): TimeLimit {
  const timeLimit = milliseconds(spec.reconcileTimeout ?? defaultTimeLimit)
  const controller = new AbortController()
  let passed: PilothouseError | undefined
  const timer = clock.timer(timeLimit, `time limit of ${name}`, () => {
    passed = new PilothouseError(
      "TIMEOUT",
      `a reconcile of ${name} did not end within ${timeLimit} ms; its time limit is set with timeLimit`,
    )
    controller.abort(passed)
  })
  const listening = abortWith(controller, outer)
  return {
    signal: controller.signal,
    passed: () => passed,
    [Symbol.dispose]() {
      timer[Symbol.dispose]()
      listening[Symbol.dispose]()
    },
  }
}
