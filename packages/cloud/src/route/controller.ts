import { deepEqual } from "@pilothouse/api"
import { type Node, nodes } from "@pilothouse/api/core/v1"
import { type Cidr, parseCidr } from "@pilothouse/api/net"
import { type Change, type Controller, controller, durationFlag, switchFlag, textFlag, watch } from "@pilothouse/runtime"
import { type Clock, type Metrics, noMetrics, PilothouseError } from "@pilothouse/seams"
import { CloudCalls } from "../provider/cloud-calls.ts"
import { cloudDescriptor, requireCapability } from "../provider/cloud-descriptor.ts"
import type { Routes } from "../provider/provider.ts"
import { decide, type RouteOptions } from "./decide.ts"
import { observe } from "./observe.ts"
import { routeExecutors } from "./operations.ts"
import { settle } from "./settle.ts"

/** The cloud's routes, and the flags of node-route-controller. */
export interface RouteControllerOptions extends Partial<RouteOptions> {
  readonly routes: Routes
  readonly clock: Clock
  readonly metrics?: Metrics
}

/** Route calls that are under way at once. */
const maxCalls = 200

/** Keeps a route in the cloud to the pods of every node, and reports it in the node's condition NetworkUnavailable. One key stands for all nodes. */
export function routeController({
  routes,
  clock,
  clusterRanges = [],
  period = "10s",
  metrics = noMetrics,
}: RouteControllerOptions): Controller {
  const syncs = metrics.counter({ name: "route_controller_route_sync_total", help: "Reconciles of all routes of the cloud" })
  const calls = new CloudCalls({ clock, maxConcurrent: maxCalls })
  return controller("node-route-controller", {
    for: nodes,
    predicate: () => false,
    watches: [watch(nodes, "a node came, went, or has other addresses", () => ["routes"], { predicate: concernsRoutes })],
    maxConcurrentReconciles: 1,
    eventSource: "route_controller",
    executors: routeExecutors(routes, calls),
    observe: async (_key, read, outer) => {
      syncs.add(1)
      return observe(await calls.run("list routes", (signal) => routes.list(signal), outer), read)
    },
    decide: (found) => decide(found, { clusterRanges, period }),
    settle,
  })
}

/** node-route-controller in the table of cloud controllers. Creates no controller unless nodes get ranges for their pods. */
export const routeDescriptor = cloudDescriptor({
  name: "node-route-controller",
  aliases: ["route"],
  flags: {
    "allocate-node-cidrs": switchFlag(false, "whether nodes are given ranges of addresses for their pods"),
    "configure-cloud-routes": switchFlag(true, "whether routes to these ranges are created in the cloud"),
    "cluster-cidr": textFlag("", "the ranges of all pods, with commas between them"),
    "route-reconciliation-period": durationFlag("10s", "how often the routes in the cloud are compared with the nodes"),
  },
  create(set, { provider, clock, metrics }) {
    if (!set["allocate-node-cidrs"] || !set["configure-cloud-routes"]) return []
    const routes = requireCapability(provider, "routes", "routes")
    return routeController({
      routes,
      clock,
      metrics,
      clusterRanges: ranges(set["cluster-cidr"]),
      period: set["route-reconciliation-period"],
    })
  },
})

function ranges(text: string): readonly Cidr[] {
  return text.split(",").map((part) => {
    const range = parseCidr(part.trim())
    if (range !== undefined) return range
    throw new PilothouseError("INVALID", `--cluster-cidr: expected ranges such as 10.244.0.0/16, found "${text}"`)
  })
}

function concernsRoutes(change: Change<Node>): boolean {
  if (change.type !== "updated") return true
  const facts = ({ spec, status }: Node) => [spec?.podCIDR, spec?.podCIDRs, status?.addresses]
  return !deepEqual(facts(change.old), facts(change.object))
}
