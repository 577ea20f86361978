import { type Node, nodes } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import type { Route } from "../provider/provider.ts"

/** The routes of the cluster, and the nodes that need some. */
export interface Observed {
  readonly routes: readonly Route[]
  /** Those that have a range for their pods. */
  readonly nodes: readonly Node[]
}

/** Adds the nodes with a range for their pods to the routes of the cloud. */
export function observe(routes: readonly Route[], read: Reader): Observed {
  return { routes, nodes: read.list(nodes).filter((node) => podRanges(node).length > 0) }
}

/** Returns the ranges of the node's pods, of one or two families. */
export function podRanges({ spec }: Node): readonly string[] {
  return spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : [])
}

/** Returns the route to the range by the node; a route to an address that the node no longer has does not count. */
export function routeTo(routes: readonly Route[], { metadata, status }: Node, range: string): Route | undefined {
  return routes.find(({ targetNode, destination, targetAddress, blackhole }) => {
    if (blackhole || targetNode !== metadata.name || destination !== range) return false
    return targetAddress === undefined || (status?.addresses ?? []).some(({ address }) => address === targetAddress)
  })
}
