import type { Plan, RememberOperation } from "./plan.ts"

/** Returns the plan with remember operations before all others. Without any it is the plan itself. */
export function rememberFirst(operations: readonly RememberOperation[], plan: Plan): Plan {
  if (operations.length === 0) return plan
  // Field by field: a PlanBuilder has getters.
  const { steps, events, requeue, waitingFor, summary, stuck } = plan
  return { steps: [{ operations }, ...steps], events, requeue, waitingFor, summary, stuck }
}
