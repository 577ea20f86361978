import { type Plan, plan, type Result } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"

/** A token that was made for an account which could not be told of it is of no use to anybody. */
export function settle(observed: Observed, results: readonly Result[]): Plan {
  const built = plan()
  if (observed.concern !== "account") return built
  const [made, told] = results
  if (made?.ok !== true || made.operation.do !== "create" || made.object === undefined || told?.ok !== false) return built
  return built.delete(made.object, "the account could not be made to refer to it")
}
