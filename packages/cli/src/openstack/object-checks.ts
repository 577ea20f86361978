import type { HealthCheck } from "@pilothouse/runtime"

/** What the handlers say of the objects that failed, under names of its own: vif, lb and the others are names of their controllers already. */
export function objectChecks(checks: readonly HealthCheck[]): readonly HealthCheck[] {
  return checks.map((check) => ({ ...check, name: `${check.name}-objects` }))
}
