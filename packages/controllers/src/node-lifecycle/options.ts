export interface NodeLifecycleOptions {
  /** --node-monitor-period: milliseconds after a heartbeat when it is noticed. */
  readonly monitorPeriod: number
  /** --node-monitor-grace-period: milliseconds of silence after which a node counts as lost. */
  readonly gracePeriod: number
  /** --node-startup-grace-period: the same for a node that has never said whether it is ready. */
  readonly startupGracePeriod: number
  /** --node-eviction-rate: nodes of a zone that begin to lose their pods, a second. */
  readonly evictionRate: number
  /** --secondary-node-eviction-rate: the same in a large zone that is partly down. */
  readonly secondaryEvictionRate: number
  /** --large-cluster-size-threshold: a zone with more nodes is large; a small one that is partly down loses no pods at all. */
  readonly largeClusterSize: number
  /** --unhealthy-zone-threshold: the share of nodes that are not ready from which a zone counts as partly down. */
  readonly unhealthyZoneThreshold: number
}

export const defaultOptions: NodeLifecycleOptions = {
  monitorPeriod: 5000,
  gracePeriod: 50_000,
  startupGracePeriod: 60_000,
  evictionRate: 0.1,
  secondaryEvictionRate: 0.01,
  largeClusterSize: 50,
  unhealthyZoneThreshold: 0.55,
}
