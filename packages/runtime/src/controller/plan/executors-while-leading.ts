import { PilothouseError } from "@pilothouse/seams"
import type { Executor } from "./executor.ts"
import { isRememberKind } from "./plan.ts"

export interface Leadership {
  readonly isLeading: boolean
  /** Aborts when leadership is lost. */
  readonly lost: AbortSignal
}

/**
 * Executors that begin nothing while another may lead, and are asked to end when leadership is lost: two leaders that both work on one cloud undo
 * each other's work as two that write to one API server do. What is only remembered does nothing to anybody.
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
          `expected to lead before a write, found that another may lead: "${kind}" was not begun`,
        )
      }
      return inner.execute(operation, AbortSignal.any([signal, leadership.lost]))
    },
  }
}
