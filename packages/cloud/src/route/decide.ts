import { findCondition, formatTime } from "@pilothouse/api"
import type { Node } from "@pilothouse/api/core/v1"
import { type CustomOperation, type DecideContext, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { type Duration, messageOf } from "@pilothouse/seams"
import { type AddressRange, isWithin, parseRange } from "../cidr.ts"
import type { Route } from "../provider.ts"
import { type Observed, podRanges } from "./observe.ts"

export interface CreateRoute extends CustomOperation {
  readonly do: "create-route"
  readonly route: Omit<Route, "name">
  /** May become part of the route's name. */
  readonly hint: string
}

export interface DeleteRoute extends CustomOperation {
  readonly do: "delete-route"
  readonly route: Route
}

export interface RouteOptions {
  /** --cluster-cidr: only routes to what lies within these ranges are ours. */
  readonly clusterRanges: readonly AddressRange[]
  /** --route-reconciliation-period */
  readonly period: Duration
}

/** Routes that lead astray go first: the cloud may have only one to each range. */
export function decide({ routes, nodes }: Observed, { clusterRanges, period }: RouteOptions): Plan {
  const built = plan()
  const kept = new Set(nodes.flatMap((node) => podRanges(node).map((range) => routeTo(routes, node, range))))
  for (const route of routes) {
    if (kept.has(route) || !isOurs(route, clusterRanges)) continue
    const operation: DeleteRoute = { do: "delete-route", to: describe(route), because: "no node has this range any more", route }
    built.operation(operation)
  }
  built.regardless()
  for (const node of nodes) for (const range of podRanges(node)) if (routeTo(routes, node, range) === undefined) create(built, node, range)
  return built.lookAgain(period, "routes may be changed in the cloud")
}

function create(built: PlanBuilder, node: Node, destination: string): void {
  const targetNode = node.metadata.name ?? ""
  const route = { targetNode, targetAddress: internalAddress(node), destination }
  const to = `${destination} to ${targetNode}`
  const operation: CreateRoute = { do: "create-route", to, because: "its pods have these addresses", route, hint: node.metadata.uid ?? "" }
  built.operation(operation)
}

/** Says in each node's conditions whether its pods can be reached. */
export function settle({ routes, nodes }: Observed, results: readonly Result[], { now }: DecideContext): Plan {
  const built = plan()
  const failures = new Map<string, string>()
  for (const result of results) {
    const operation = result.operation as CreateRoute
    if (operation.do !== "create-route" || result.ok === true) continue
    const text = result.ok === false ? messageOf(result.error) : "not tried"
    failures.set(
      operation.route.targetNode,
      `Could not create route ${operation.hint} ${operation.route.destination} for node ${operation.route.targetNode}: ${text}`,
    )
  }
  // Without a value it was a dry run: the routes are not there.
  const made = results.some((result) => result.ok === true && result.value === true)
  for (const node of nodes) {
    const failure = failures.get(node.metadata.name ?? "")
    if (failure !== undefined)
      built.event({ ...node, metadata: { name: node.metadata.name, uid: node.metadata.name } }, "Warning", "FailedToCreateRoute", failure)
    const complete = podRanges(node).every((range) => routeTo(routes, node, range) !== undefined)
    if (complete || made || failure !== undefined) setCondition(built, node, failure === undefined, now)
  }
  return built
}

function setCondition(built: PlanBuilder, node: Node, reachable: boolean, now: number): void {
  const status = reachable ? "False" : "True"
  if (findCondition(node.status?.conditions, "NetworkUnavailable")?.status === status) return
  const reason = reachable ? "RouteCreated" : "NoRouteCreated"
  const message = reachable ? "RouteController created a route" : "RouteController failed to create a route"
  const time = formatTime(now)
  const condition = { type: "NetworkUnavailable", status, reason, message, lastTransitionTime: time, lastHeartbeatTime: time }
  built.patch(node, { status: { conditions: [condition] } }, message, { type: "strategic", subresource: "status" })
}

/** A route to an address that the node no longer has is none. */
function routeTo(routes: readonly Route[], { metadata, status }: Node, range: string): Route | undefined {
  return routes.find(({ targetNode, destination, targetAddress, blackhole }) => {
    if (blackhole || targetNode !== metadata.name || destination !== range) return false
    return targetAddress === undefined || (status?.addresses ?? []).some(({ address }) => address === targetAddress)
  })
}

/** A range larger than the cluster's is somebody else's: the default route, the network that the cluster is part of. */
function isOurs({ destination }: Route, clusterRanges: readonly AddressRange[]): boolean {
  const range = parseRange(destination)
  return range !== undefined && clusterRanges.some((cluster) => isWithin(range, cluster))
}

function internalAddress({ status }: Node): string | undefined {
  return status?.addresses?.find(({ type }) => type === "InternalIP")?.address
}

function describe({ destination, targetNode }: Route): string {
  return `${destination} to ${targetNode || "nobody"}`
}
