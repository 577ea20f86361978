// The objects of Neutron as they are on the wire, with the attributes that are used here. Names are Neutron's own.

/** A network as Neutron answers; only the fields that are read here. */
export interface Network {
  readonly id: string
  readonly name: string
  readonly project_id: string
  readonly status: string
  readonly admin_state_up: boolean
  readonly mtu: number | null
  readonly subnets: readonly string[]
  readonly shared: boolean
  readonly "router:external": boolean
  readonly tags: readonly string[]
  readonly revision_number: number
}

/** The body of a POST of /v2.0/networks. */
export interface NewNetwork {
  readonly name?: string
  readonly project_id?: string
  readonly admin_state_up?: boolean
  readonly mtu?: number
  readonly shared?: boolean
  readonly "router:external"?: boolean
  readonly "provider:network_type"?: string
  readonly "provider:physical_network"?: string
}

export interface HostRoute {
  readonly destination: string
  readonly nexthop: string
}

/** A subnet as Neutron answers; only the fields that are read here. */
export interface Subnet {
  readonly id: string
  readonly name: string
  readonly project_id: string
  readonly network_id: string
  readonly ip_version: 4 | 6
  readonly cidr: string
  readonly gateway_ip: string | null
  readonly enable_dhcp: boolean
  readonly dns_nameservers: readonly string[]
  readonly host_routes: readonly HostRoute[]
  readonly allocation_pools: readonly AllocationPool[]
  readonly tags: readonly string[]
  readonly revision_number: number
}

export interface AllocationPool {
  readonly start: string
  readonly end: string
}

/** The body of a POST of /v2.0/subnets. */
export interface NewSubnet {
  readonly network_id: string
  readonly ip_version: 4 | 6
  readonly cidr: string
  readonly name?: string
  readonly project_id?: string
  readonly gateway_ip?: string | null
  readonly enable_dhcp?: boolean
  readonly dns_nameservers?: readonly string[]
  readonly host_routes?: readonly HostRoute[]
  readonly allocation_pools?: readonly AllocationPool[]
}

export interface FixedIp {
  readonly subnet_id: string
  readonly ip_address: string
}

export interface AddressPair {
  readonly ip_address: string
  readonly mac_address?: string
}

export interface VifDetails {
  readonly port_filter?: boolean
  readonly ovs_hybrid_plug?: boolean
  readonly bridge_name?: string
  readonly datapath_type?: string
  readonly connectivity?: string
}

export interface SubPort {
  readonly port_id: string
  readonly segmentation_type: string
  readonly segmentation_id: number
}

/** A port as Neutron answers; only the fields that are read here. */
export interface Port {
  readonly id: string
  readonly name: string
  readonly project_id: string
  readonly network_id: string
  readonly mac_address: string
  /** ACTIVE, DOWN, BUILD, ERROR or N/A. */
  readonly status: string
  readonly admin_state_up: boolean
  readonly device_id: string
  readonly device_owner: string
  readonly description: string
  readonly fixed_ips: readonly FixedIp[]
  readonly security_groups: readonly string[]
  readonly allowed_address_pairs: readonly AddressPair[]
  readonly port_security_enabled?: boolean
  readonly "binding:host_id"?: string
  /** ovs, unbound, binding_failed … */
  readonly "binding:vif_type"?: string
  readonly "binding:vif_details"?: VifDetails
  readonly trunk_details?: { readonly trunk_id: string; readonly sub_ports: readonly (SubPort & { readonly mac_address: string })[] }
  readonly tags: readonly string[]
  readonly revision_number: number
}

/** The body of a POST of /v2.0/ports. */
export interface NewPort {
  readonly network_id: string
  readonly name?: string
  readonly project_id?: string
  readonly mac_address?: string
  readonly admin_state_up?: boolean
  readonly device_id?: string
  readonly device_owner?: string
  readonly description?: string
  readonly fixed_ips?: readonly { readonly subnet_id?: string; readonly ip_address?: string }[]
  readonly security_groups?: readonly string[]
  readonly allowed_address_pairs?: readonly AddressPair[]
  readonly port_security_enabled?: boolean
  readonly "binding:host_id"?: string
  /** Given with the create since Neutron's tag-creation extension; use `setTags` where `extensions()` does not have "tag-creation". */
  readonly tags?: readonly string[]
}

export type PortChange = Partial<Omit<NewPort, "network_id" | "project_id" | "tags">>

/** A trunk as Neutron answers: the port of a machine, and the subports of the pods inside it. */
export interface Trunk {
  readonly id: string
  readonly name: string
  readonly project_id: string
  readonly port_id: string
  readonly status: string
  readonly admin_state_up: boolean
  readonly sub_ports: readonly SubPort[]
  readonly tags: readonly string[]
  readonly revision_number: number
}

export interface NewTrunk {
  readonly port_id: string
  readonly name?: string
  readonly project_id?: string
  readonly sub_ports?: readonly SubPort[]
}

export interface SecurityGroup {
  readonly id: string
  readonly name: string
  readonly project_id: string
  readonly description: string
  readonly security_group_rules: readonly SecurityGroupRule[]
  readonly tags: readonly string[]
  readonly revision_number: number
}

export interface NewSecurityGroup {
  readonly name: string
  readonly project_id?: string
  readonly description?: string
}

/** A security group rule as Neutron answers. Null means any. */
export interface SecurityGroupRule {
  readonly id: string
  readonly project_id: string
  readonly security_group_id: string
  readonly direction: "ingress" | "egress"
  readonly ethertype: "IPv4" | "IPv6"
  readonly protocol: string | null
  readonly port_range_min: number | null
  readonly port_range_max: number | null
  readonly remote_ip_prefix: string | null
  readonly remote_group_id: string | null
  readonly description: string
}

export type NewSecurityGroupRule = Pick<SecurityGroupRule, "security_group_id" | "direction"> &
  Partial<Omit<SecurityGroupRule, "id" | "security_group_id" | "direction">>

/** A floating IP as Neutron answers. Its `port_id` is null while it is not associated. */
export interface FloatingIp {
  readonly id: string
  readonly project_id: string
  readonly floating_network_id: string
  readonly floating_ip_address: string
  readonly port_id: string | null
  readonly fixed_ip_address: string | null
  readonly router_id: string | null
  readonly status: string
  readonly description: string
  readonly tags: readonly string[]
  readonly revision_number: number
}

export interface NewFloatingIp {
  readonly floating_network_id: string
  readonly project_id?: string
  readonly port_id?: string | null
  readonly subnet_id?: string
  readonly fixed_ip_address?: string
  readonly floating_ip_address?: string
  readonly description?: string
}

/** A router as Neutron answers; only the fields that are read here. */
export interface Router {
  readonly id: string
  readonly name: string
  readonly project_id: string
  readonly status: string
  readonly external_gateway_info: { readonly network_id: string } | null
  readonly routes?: readonly ExtraRoute[]
  readonly tags: readonly string[]
  readonly revision_number: number
}

export interface NewRouter {
  readonly name?: string
  readonly project_id?: string
  readonly external_gateway_info?: { readonly network_id: string } | null
  readonly routes?: readonly ExtraRoute[]
}

/** "10.244.1.0/24" by "192.168.0.7". */
export interface ExtraRoute {
  readonly destination: string
  readonly nexthop: string
}

/** -1 as a limit: none. */
export interface QuotaUse {
  readonly limit: number
  readonly used: number
  readonly reserved: number
}

export type TaggedKind = "networks" | "subnets" | "ports" | "trunks" | "security-groups" | "floatingips" | "routers"
