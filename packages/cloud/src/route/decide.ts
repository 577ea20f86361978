import type { Node } from "@pilothouse/api/core/v1"
import { type Cidr, isSubnet, parseCidrOrIp } from "@pilothouse/api/net"
import { type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import type { Duration } from "@pilothouse/seams"
import type { Route } from "../provider/provider.ts"
import { type Observed, podRanges, routeTo } from "./observe.ts"
import type { CreateRoute, DeleteRoute } from "./operations.ts"

/** The flags that a decision about routes depends on. */
export interface RouteOptions {
  /** --cluster-cidr: only routes to destinations within these ranges are managed. */
  readonly clusterRanges: readonly Cidr[]
  /** --route-reconciliation-period */
  readonly period: Duration
}

/** Deletes superfluous routes before it creates missing ones: the cloud may have only one route to each range. */
export function decide({ routes, nodes }: Observed, { clusterRanges, period }: RouteOptions): Plan {
  const built = plan()
  const kept = new Set(nodes.flatMap((node) => podRanges(node).map((range) => routeTo(routes, node, range))))
  for (const route of routes) {
    if (kept.has(route) || !isOurs(route, clusterRanges)) continue
    const operation: DeleteRoute = { do: "delete-route", to: describe(route), reason: "no node has this range any more", route }
    built.operation(operation)
  }
  built.nextStep({ onFailure: "continue" })
  for (const node of nodes) for (const range of podRanges(node)) if (routeTo(routes, node, range) === undefined) create(built, node, range)
  return built.requeueAfter(period, "routes may be changed in the cloud")
}

function create(built: PlanBuilder, node: Node, destination: string): void {
  const targetNode = node.metadata.name ?? ""
  const route = { targetNode, targetAddress: addressFor(destination, node), destination }
  const to = `${destination} to ${targetNode}`
  const operation: CreateRoute = { do: "create-route", to, reason: "its pods have these addresses", route, hint: node.metadata.uid ?? "" }
  built.operation(operation)
}

/** A range larger than the cluster's is not managed: the default route, the network that the cluster is part of. */
function isOurs({ destination }: Route, clusterRanges: readonly Cidr[]): boolean {
  const range = parseCidrOrIp(destination)
  return range !== undefined && clusterRanges.some((cluster) => isSubnet(range, cluster))
}

/** Of the destination's own family: nothing can be sent to IPv6 pods by an IPv4 address. Undefined: the cloud has to know where the node is. */
function addressFor(destination: string, { status }: Node): string | undefined {
  const family = parseCidrOrIp(destination)?.family
  return status?.addresses?.find(({ type, address }) => type === "InternalIP" && parseCidrOrIp(address)?.family === family)?.address
}

function describe({ destination, targetNode }: Route): string {
  return `${destination} to ${targetNode || "no node"}`
}
