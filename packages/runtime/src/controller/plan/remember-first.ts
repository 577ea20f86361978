import type { Plan, RememberOperation } from "./plan.ts"

/** The plan, which begins with remembering: whatever becomes of the rest. With nothing to remember it is the plan itself. */
export function rememberFirst(operations: readonly RememberOperation[], plan: Plan): Plan {
  if (operations.length === 0) return plan
  // Field by field: a plan that was built has getters.
  const { steps, events, requeue, waitingFor, summary, stuck } = plan
  return { steps: [{ operations }, ...steps], events, requeue, waitingFor, summary, stuck }
}
