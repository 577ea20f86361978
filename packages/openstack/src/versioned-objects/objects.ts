// The versioned objects as values. Names of fields are those of the Python classes.

export interface LBaaSPortSpec {
  readonly name: string | null
  readonly protocol: string
  readonly port: number
  readonly targetPort?: string
}

export interface LBaaSServiceSpec {
  readonly ip: string | null
  readonly ports: readonly LBaaSPortSpec[]
  readonly project_id: string | null
  readonly subnet_id: string | null
  readonly security_groups_ids: readonly string[]
  readonly type?: string | null
  readonly lb_ip?: string | null
}

/** kuryr's LBaaSLoadBalancer, with the names of its fields. */
export interface LBaaSLoadBalancer {
  readonly id: string
  readonly project_id: string
  readonly name: string
  readonly ip: string
  readonly subnet_id: string
  readonly port_id?: string
  readonly provider?: string | null
  readonly security_groups?: readonly string[] | null
}

export interface LBaaSListener {
  readonly id: string
  readonly project_id: string
  readonly name: string
  readonly loadbalancer_id: string
  readonly protocol: string
  readonly port: number
}

export interface LBaaSPool {
  readonly id: string
  readonly project_id: string
  readonly name: string
  readonly loadbalancer_id: string
  readonly listener_id: string | null
  readonly protocol: string
}

export interface LBaaSMember {
  readonly id: string
  readonly project_id: string
  readonly name: string
  readonly pool_id: string
  readonly subnet_id: string
  readonly ip: string
  readonly port: number
}

export interface LBaaSPubIp {
  readonly ip_id: string
  readonly ip_addr: string
  readonly alloc_method: string
}

export interface LBaaSState {
  readonly loadbalancer: LBaaSLoadBalancer | null
  readonly listeners: readonly LBaaSListener[]
  readonly pools: readonly LBaaSPool[]
  readonly members: readonly LBaaSMember[]
  readonly service_pub_ip_info?: LBaaSPubIp | null
}

export interface VifRoute {
  readonly cidr: string
  readonly gateway?: string
  readonly interface?: string
}

export interface VifSubnet {
  readonly cidr?: string
  readonly dns?: readonly string[]
  readonly gateway?: string
  readonly ips?: readonly { readonly address: string }[]
  readonly routes?: readonly VifRoute[]
}

/** os_vif's Network, with the names of its fields. */
export interface VifNetwork {
  readonly id: string
  readonly bridge?: string
  readonly label?: string
  readonly mtu?: number | null
  readonly multi_host?: boolean
  readonly should_provide_bridge?: boolean
  readonly should_provide_vlan?: boolean
  readonly subnets?: readonly VifSubnet[]
}

interface AnyVif {
  readonly id: string
  readonly active: boolean
  readonly address?: string
  readonly network?: VifNetwork
  readonly plugin?: string
  readonly vif_name?: string
  readonly preserve_on_delete?: boolean
  readonly has_traffic_filtering?: boolean
}

interface BridgedVif extends AnyVif {
  readonly bridge_name?: string
  readonly port_profile?: { readonly interface_id?: string; readonly profile_id?: string; readonly datapath_type?: string }
}

/** `type` is the name of the Python class. */
export type Vif =
  | (BridgedVif & { readonly type: "VIFOpenVSwitch" | "VIFBridge" })
  | (AnyVif & { readonly type: "VIFVlanNested"; readonly vlan_id: number })
  | (AnyVif & { readonly type: "VIFMacvlanNested" })
