/** The four kinds of resources that are served, in the order in which changes go out: whatever names a thing comes after it. */
export const kinds = ["cluster", "endpoint", "listener", "route"] as const
/** A kind of xDS resource. */
export type Kind = (typeof kinds)[number]

/** The type URL of each kind. */
export const typeUrls: Readonly<Record<Kind, string>> = {
  cluster: "type.googleapis.com/envoy.config.cluster.v3.Cluster",
  endpoint: "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
  listener: "type.googleapis.com/envoy.config.listener.v3.Listener",
  route: "type.googleapis.com/envoy.config.route.v3.RouteConfiguration",
}

/** Upstream's short names, for metrics and the debug pages. */
export const shortNames: Readonly<Record<Kind, "cds" | "eds" | "lds" | "rds">> = {
  cluster: "cds",
  endpoint: "eds",
  listener: "lds",
  route: "rds",
}

/** Returns the kind of a type URL; undefined for one that is not served. */
export function kindOf(typeUrl: string): Kind | undefined {
  return kinds.find((kind) => typeUrls[kind] === typeUrl)
}

/** Roots: an answer of the state of the world has all of them, what it lacks is deleted; and no names at first means all. */
export function isRoot(kind: Kind): boolean {
  return kind === "cluster" || kind === "listener"
}
