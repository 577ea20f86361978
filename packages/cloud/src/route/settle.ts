import { findCondition, formatTime } from "@pilothouse/api"
import type { Node } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { type Observed, podRanges, routeTo } from "./observe.ts"
import type { CreateRoute } from "./operations.ts"

/** Reports in each node's condition NetworkUnavailable whether its pods can be reached, and records failed creates as events. */
export function settle({ routes, nodes }: Observed, results: readonly Result[], { now }: DecideContext): Plan {
  const built = plan()
  const failures = failuresIn(results)
  // Without a value it was a dry run: the routes are not there.
  const made = results.some((result) => result.ok === true && result.value === true)
  for (const node of nodes) {
    const failure = failures.get(node.metadata.name ?? "")
    if (failure !== undefined) built.event(node, "Warning", "FailedToCreateRoute", failure)
    const complete = podRanges(node).every((range) => routeTo(routes, node, range) !== undefined)
    if (complete || made || failure !== undefined) setCondition(built, node, failure === undefined, now)
  }
  return built
}

/** In words, by node. */
function failuresIn(results: readonly Result[]): ReadonlyMap<string, string> {
  const failures = new Map<string, string>()
  for (const result of results) {
    const { do: kind, route, hint } = result.operation as CreateRoute
    if (kind !== "create-route" || result.ok === true) continue
    const text = result.ok === false ? messageOf(result.error) : "not tried"
    failures.set(route.targetNode, `Could not create route ${hint} ${route.destination} for node ${route.targetNode}: ${text}`)
  }
  return failures
}

function setCondition(built: PlanBuilder, node: Node, reachable: boolean, now: number): void {
  const status = reachable ? "False" : "True"
  const reason = reachable ? "RouteCreated" : "NoRouteCreated"
  const shown = findCondition(node.status?.conditions, "NetworkUnavailable")
  if (shown?.status === status && shown.reason === reason) return
  const message = reachable ? "RouteController created a route" : "RouteController failed to create a route"
  const time = formatTime(now)
  const condition = { type: "NetworkUnavailable", status, reason, message, lastTransitionTime: time, lastHeartbeatTime: time }
  built.patch(node, { status: { conditions: [condition] } }, message, { type: "strategic", subresource: "status" })
}
