import type { CallOptions, Collection, ReadCollection } from "../calls/collection.ts"
import type * as wire from "./types.ts"

/** Neutron v2.0. */
export interface Neutron {
  readonly networks: Collection<wire.Network, wire.NewNetwork>
  readonly subnets: Collection<wire.Subnet, wire.NewSubnet>
  readonly ports: Ports
  readonly trunks: Trunks
  readonly securityGroups: Collection<wire.SecurityGroup, wire.NewSecurityGroup>
  readonly securityGroupRules: SecurityGroupRules
  readonly floatingIps: Collection<wire.FloatingIp, wire.NewFloatingIp>
  readonly routers: Routers
  /** Replaces all the tags of an object. */
  setTags(kind: wire.TaggedKind, id: string, tags: readonly string[], options?: CallOptions): Promise<readonly string[]>
  addTag(kind: wire.TaggedKind, id: string, tag: string, options?: CallOptions): Promise<void>
  /** Succeeds where it has no such tag. */
  removeTag(kind: wire.TaggedKind, id: string, tag: string, options?: CallOptions): Promise<void>
  /** By resource ("port", "network", "security_group" …): its limit (-1: none), what is used and what is reserved. */
  quota(project: string, options?: CallOptions): Promise<Readonly<Record<string, wire.QuotaUse>>>
  setQuota(project: string, limits: Readonly<Record<string, number>>, options?: CallOptions): Promise<void>
  /** The aliases of what this Neutron can do beyond its core: "trunk", "standard-attr-tag", "tag-ports-during-bulk-creation" … */
  extensions(options?: CallOptions): Promise<ReadonlySet<string>>
}

export interface Ports extends Collection<wire.Port, wire.NewPort, wire.PortChange> {
  /** Several in one call, all or nothing. The answers are in the order of the wanted ones. */
  createMany(requested: readonly wire.NewPort[], options?: CallOptions): Promise<readonly wire.Port[]>
}

export interface Trunks extends Collection<wire.Trunk, wire.NewTrunk, { readonly name?: string; readonly admin_state_up?: boolean }> {
  /** All or nothing. Refused with kind "duplicate" where a VLAN or port is on a trunk already. */
  addSubports(trunk: string, ports: readonly wire.SubPort[], options?: CallOptions): Promise<wire.Trunk>
  /** Refused with kind "not-found" where one is not on the trunk, and then none is removed. */
  removeSubports(trunk: string, ports: readonly string[], options?: CallOptions): Promise<wire.Trunk>
}

export interface SecurityGroupRules extends ReadCollection<wire.SecurityGroupRule> {
  /** Refused with kind "duplicate" where the group has the same rule. */
  create(requested: wire.NewSecurityGroupRule, options?: CallOptions): Promise<wire.SecurityGroupRule>
  delete(id: string, options?: CallOptions): Promise<boolean>
}

export interface Routers extends Collection<wire.Router, wire.NewRouter> {
  addInterface(router: string, subnet: string, options?: CallOptions): Promise<void>
  removeInterface(router: string, subnet: string, options?: CallOptions): Promise<void>
}
