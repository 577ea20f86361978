import type { HealthCheck } from "@pilothouse/runtime"

/** Returns a health check for each handler whose objects failed, under a name of its own: vif, lb and the others are names of their controllers already. */
export function objectChecks(checks: readonly HealthCheck[]): readonly HealthCheck[] {
  return checks.map((check) => ({ ...check, name: `${check.name}-objects` }))
}
