/** What a field of a versioned object may be. */
export type FieldType =
  | "string"
  | "integer"
  | "boolean"
  | "strings"
  /** An object of one of these names. */
  | { readonly object: readonly ObjectName[] }
  /** A plain list of objects. */
  | { readonly list: ObjectName }
  /** os_vif wraps a list into an object of its own, with the one field "objects". */
  | { readonly wrapped: ObjectName; readonly in: string }
  /** Objects by the names used here. */
  | { readonly map: readonly ObjectName[] }

/** A field of a versioned object, and the versions in which it exists. */
export interface Field {
  readonly type: FieldType
  readonly nullable?: boolean
  /** May be unset; else it is an error when it is missing. */
  readonly optional?: boolean
  /** The minor version that brought it. An object is written in the oldest version that has all of its fields. */
  readonly since?: number
  /** The minor version from which on it may be null. */
  readonly nullSince?: number
}

export interface Schema {
  readonly namespace: "kuryr_kubernetes" | "os_vif"
  /** The version that is written: major and minor. */
  readonly version: readonly [number, number]
  readonly fields: Readonly<Record<string, Field>>
}

const text: Field = { type: "string" }
const textOrNull: Field = { type: "string", nullable: true }
const unset: Field = { type: "string", optional: true }
const number: Field = { type: "integer" }
const flag: Field = { type: "boolean" }

const vif = {
  id: text,
  address: { type: "string", optional: true },
  network: { type: { object: ["Network"] }, optional: true },
  plugin: unset,
  vif_name: unset,
  active: flag,
  preserve_on_delete: { type: "boolean", optional: true },
  has_traffic_filtering: { type: "boolean", optional: true },
} as const satisfies Schema["fields"]

const profile = { type: { object: ["VIFPortProfileOpenVSwitch"] }, optional: true } as const satisfies Field

function schemas<
  const Table extends Record<string, { namespace: Schema["namespace"]; version: readonly [number, number]; fields: object }>,
>(table: Table): Table {
  return table
}

/** Every object that is read or written, with the fields of the seed's time and those that later versions added. */
export const objectSchemas = schemas({
  LBaaSServiceSpec: {
    namespace: "kuryr_kubernetes",
    version: [1, 0],
    fields: {
      ip: textOrNull,
      ports: { type: { list: "LBaaSPortSpec" } },
      project_id: textOrNull,
      subnet_id: textOrNull,
      security_groups_ids: { type: "strings" },
      type: { type: "string", optional: true, nullable: true },
      lb_ip: { type: "string", optional: true, nullable: true },
    },
  },
  LBaaSPortSpec: {
    namespace: "kuryr_kubernetes",
    version: [1, 0],
    fields: { name: textOrNull, protocol: text, port: number, targetPort: { type: "string", optional: true, since: 1 } },
  },
  LBaaSState: {
    namespace: "kuryr_kubernetes",
    version: [1, 0],
    fields: {
      loadbalancer: { type: { object: ["LBaaSLoadBalancer"] }, nullable: true },
      listeners: { type: { list: "LBaaSListener" } },
      pools: { type: { list: "LBaaSPool" } },
      members: { type: { list: "LBaaSMember" } },
      service_pub_ip_info: { type: { object: ["LBaaSPubIp"] }, optional: true, nullable: true },
    },
  },
  LBaaSLoadBalancer: {
    namespace: "kuryr_kubernetes",
    version: [1, 0],
    fields: {
      id: text,
      project_id: text,
      name: text,
      ip: text,
      subnet_id: text,
      port_id: { type: "string", optional: true, since: 4 },
      provider: { type: "string", optional: true, nullable: true, since: 4 },
      security_groups: { type: "strings", optional: true, nullable: true, since: 4 },
    },
  },
  LBaaSListener: {
    namespace: "kuryr_kubernetes",
    version: [1, 0],
    fields: { id: text, project_id: text, name: text, loadbalancer_id: text, protocol: text, port: number },
  },
  LBaaSPool: {
    namespace: "kuryr_kubernetes",
    version: [1, 0],
    fields: {
      id: text,
      project_id: text,
      name: text,
      loadbalancer_id: text,
      listener_id: { type: "string", nullable: true, nullSince: 1 },
      protocol: text,
    },
  },
  LBaaSMember: {
    namespace: "kuryr_kubernetes",
    version: [1, 0],
    fields: { id: text, project_id: text, name: text, pool_id: text, subnet_id: text, ip: text, port: number },
  },
  LBaaSPubIp: { namespace: "kuryr_kubernetes", version: [1, 0], fields: { ip_id: text, ip_addr: text, alloc_method: text } },
  VIFOpenVSwitch: { namespace: "os_vif", version: [1, 0], fields: { ...vif, bridge_name: unset, port_profile: profile } },
  VIFBridge: { namespace: "os_vif", version: [1, 0], fields: { ...vif, bridge_name: unset, port_profile: profile } },
  VIFVlanNested: { namespace: "os_vif", version: [1, 0], fields: { ...vif, vlan_id: number } },
  VIFMacvlanNested: { namespace: "os_vif", version: [1, 0], fields: vif },
  VIFPortProfileOpenVSwitch: {
    namespace: "os_vif",
    version: [1, 0],
    fields: { interface_id: unset, profile_id: unset, datapath_type: { type: "string", optional: true, since: 1 } },
  },
  Network: {
    namespace: "os_vif",
    version: [1, 1],
    fields: {
      id: text,
      bridge: unset,
      label: unset,
      mtu: { type: "integer", optional: true, nullable: true },
      multi_host: { type: "boolean", optional: true },
      should_provide_bridge: { type: "boolean", optional: true },
      should_provide_vlan: { type: "boolean", optional: true },
      subnets: { type: { wrapped: "Subnet", in: "SubnetList" }, optional: true },
    },
  },
  Subnet: {
    namespace: "os_vif",
    version: [1, 0],
    fields: {
      cidr: unset,
      dns: { type: "strings", optional: true },
      gateway: unset,
      ips: { type: { wrapped: "FixedIP", in: "FixedIPList" }, optional: true },
      routes: { type: { wrapped: "Route", in: "RouteList" }, optional: true },
    },
  },
  FixedIP: { namespace: "os_vif", version: [1, 0], fields: { address: text } },
  Route: { namespace: "os_vif", version: [1, 0], fields: { cidr: text, gateway: unset, interface: unset } },
  PodState: {
    namespace: "os_vif",
    version: [1, 0],
    fields: {
      default_vif: { type: { object: ["VIFOpenVSwitch", "VIFBridge", "VIFVlanNested", "VIFMacvlanNested"] } },
      additional_vifs: { type: { map: ["VIFOpenVSwitch", "VIFBridge", "VIFVlanNested", "VIFMacvlanNested"] }, optional: true },
    },
  },
})

/** The versioned objects of kuryr-kubernetes and os_vif that are read and written here. */
export type ObjectName =
  | "LBaaSServiceSpec"
  | "LBaaSPortSpec"
  | "LBaaSState"
  | "LBaaSLoadBalancer"
  | "LBaaSListener"
  | "LBaaSPool"
  | "LBaaSMember"
  | "LBaaSPubIp"
  | "VIFOpenVSwitch"
  | "VIFBridge"
  | "VIFVlanNested"
  | "VIFMacvlanNested"
  | "VIFPortProfileOpenVSwitch"
  | "Network"
  | "Subnet"
  | "FixedIP"
  | "Route"
  | "PodState"

export function objectSchema(name: ObjectName): Schema {
  return objectSchemas[name] as Schema
}
