import { PilothouseError } from "@pilothouse/seams"
import type { Executor } from "./executor.ts"
import { isRememberKind } from "./plan.ts"

/** Whether this process leads, as executors of custom operations need to know it. */
export interface Leadership {
  readonly isLeading: boolean
  /** Aborts when leadership is lost. */
  readonly lost: AbortSignal
}

/**
 * Wraps executors so that they start nothing while another replica may lead, and abort when leadership is lost: two leaders that both work on one cloud undo
 * each other's work. Remember operations have no effect outside the process and pass.
 */
export function executorsWhileLeading(executors: readonly Executor[], leadership: Leadership | undefined): readonly Executor[] {
  if (leadership === undefined) return executors
  return executors.map((inner) => (isRememberKind(inner.do) ? inner : whileLeading(inner, leadership)))
}

function whileLeading({ do: kind, ...inner }: Executor, leadership: Leadership): Executor {
  return {
    do: kind,
    async execute(operation, signal) {
      if (!leadership.isLeading) {
        throw new PilothouseError(
          "LEADERSHIP_LOST",
          `expected to lead before a write, found that another may lead: "${kind}" was not started`,
        )
      }
      return inner.execute(operation, AbortSignal.any([signal, leadership.lost]))
    },
  }
}
