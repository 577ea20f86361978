import { deepEqual } from "@pilothouse/api"
import { type Executor, type Plan, type RememberOperation, rememberFirst, remembers } from "@pilothouse/runtime"
import type { Decision } from "./decide.ts"
import type { Observed } from "./observe.ts"
import type { Timer, Timers } from "./timers.ts"

/** When a pod has to go is kept by the plan: so that deciding stays free of side effects. */
export interface RememberTimer extends RememberOperation {
  readonly do: "remember-timer"
  readonly key: string
  /** Undefined: it need not go any more. */
  readonly timer?: Timer
}

/** The plan, which begins with keeping the timer where that is another than before: whatever becomes of the rest. */
export function withTimer({ key, timer: before, isOthers = false }: Observed, { plan, timer }: Decision): Plan {
  if (deepEqual(before, timer) && !isOthers) return plan
  const reason = timer === undefined ? "it need not leave any more" : "later looks must not begin its time anew"
  const operation: RememberTimer = { do: "remember-timer", to: `the time of the pod ${key}`, reason, key, timer }
  return rememberFirst([operation], plan)
}

export function rememberTimersIn(timers: Timers): Executor {
  return remembers<RememberTimer>("remember-timer", ({ key, timer }) => timers.keep(key, timer))
}
