import type { CallOptions, Collection, ReadCollection } from "../calls/collection.ts"
import type * as wire from "./types.ts"

/**
 * Octavia v2, or neutron-lbaas v2 behind the same interface (`flavour`): where the old one lacks a call, several older calls stand in for it.
 * One change at a time per load balancer: every other one is refused with kind "busy" until it is ACTIVE again.
 */
export interface Octavia {
  readonly flavour: "octavia" | "neutron-lbaas"
  readonly loadBalancers: LoadBalancers
  readonly listeners: Collection<wire.Listener, wire.NewListener, wire.ListenerSettings>
  readonly pools: Collection<wire.Pool, wire.NewPool, wire.PoolSettings>
  members(pool: string): Members
  readonly healthMonitors: Collection<wire.HealthMonitor, wire.NewHealthMonitor, wire.HealthMonitorSettings>
  /** By resource ("load_balancer", "listener", "pool", "member", "health_monitor"): how many the project may have; -1: no limit. */
  quota(project: string, options?: CallOptions): Promise<Readonly<Record<string, number>>>
  setQuota(project: string, limits: Readonly<Record<string, number>>, options?: CallOptions): Promise<void>
  /** What the service can do: its newest minor version, 26 of "v2.26"; 0 for neutron-lbaas. */
  minorVersion(options?: CallOptions): Promise<number>
}

export interface LoadBalancers extends ReadCollection<wire.LoadBalancer> {
  /** A whole tree in one call. Find first: a taken address is refused with "address-taken", be it by our own lost create. */
  create(requested: wire.NewLoadBalancer, options?: CallOptions): Promise<wire.LoadBalancer>
  update(id: string, change: wire.LoadBalancerChange, options?: CallOptions): Promise<wire.LoadBalancer>
  /** False: it was gone already. Its end is a 404, later. With `cascade` everything below it goes too. */
  delete(id: string, options?: CallOptions & { readonly cascade?: boolean }): Promise<boolean>
  statusTree(id: string, options?: CallOptions): Promise<wire.StatusTree>
}

export interface Members extends Collection<wire.Member, wire.NewMember, wire.MemberChange> {
  /** The whole set in one call; members are matched by address and port. With `additive` none is removed. */
  replaceAll(members: readonly wire.NewMember[], options?: CallOptions & { readonly additive?: boolean }): Promise<void>
}
