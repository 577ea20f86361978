import { deepEqual } from "@pilothouse/api"
import { type Node, nodes } from "@pilothouse/api/core/v1"
import { type Change, type Controller, controller, watch } from "@pilothouse/runtime"
import { type Clock, type Metrics, noMetrics } from "@pilothouse/seams"
import { CloudCalls } from "../cloud-calls.ts"
import type { Routes } from "../provider.ts"
import { decide, type RouteOptions } from "./decide.ts"
import { observed } from "./observe.ts"
import { routeExecutors } from "./operations.ts"
import { settle } from "./settle.ts"

export interface RouteControllerOptions extends Partial<RouteOptions> {
  readonly routes: Routes
  readonly clock: Clock
  readonly metrics?: Metrics
}

/** Route calls that are under way at once. */
const maxCalls = 200

/** Keeps a route in the cloud to the pods of every node, and says on the node whether it is there. One key stands for all of them. */
export function routeController({
  routes,
  clock,
  clusterRanges = [],
  period = "10s",
  metrics = noMetrics,
}: RouteControllerOptions): Controller {
  const syncs = metrics.counter({ name: "route_controller_route_sync_total", help: "Looks at all routes of the cloud" })
  const calls = new CloudCalls({ clock, atOnce: maxCalls })
  return controller("node-route-controller", {
    for: nodes,
    predicate: () => false,
    watches: [watch(nodes, "a node came, went, or has other addresses", () => ["routes"], { predicate: concernsRoutes })],
    maxConcurrentReconciles: 1,
    eventSource: "route_controller",
    executors: routeExecutors(routes, calls),
    observe: async (_key, read, outer) => {
      syncs.add(1)
      return observed(await calls.run("list routes", (signal) => routes.list(signal), outer), read)
    },
    decide: (found) => decide(found, { clusterRanges, period }),
    settle,
  })
}

function concernsRoutes(change: Change<Node>): boolean {
  if (change.type !== "updated") return true
  const facts = ({ spec, status }: Node) => [spec?.podCIDR, spec?.podCIDRs, status?.addresses]
  return !deepEqual(facts(change.old), facts(change.object))
}
