import { PilothouseError } from "@pilothouse/seams"
import type { Network, Port, Subnet } from "../clients/neutron/types.ts"
import type { Vif, VifNetwork, VifSubnet } from "./objects.ts"

/** What is known of the networks of a port. */
export interface PortSurroundings {
  readonly network: Pick<Network, "id"> & { readonly name: string | null; readonly mtu: number | null }
  /** Those that were asked for: addresses of others are left out. */
  readonly subnets: readonly Pick<Subnet, "id" | "cidr" | "dns_nameservers" | "host_routes" | "gateway_ip">[]
}

type PortFacts = Pick<Port, "id" | "mac_address" | "status" | "fixed_ips" | "binding:vif_details">

/** Interfaces of Linux have names of at most 14 letters. */
const maxNameLength = 14

/** A port that Open vSwitch binds: plugged into the integration bridge, or with a Linux bridge between where the firewall needs one. */
export function bridgedVif(port: PortFacts, around: PortSurroundings, defaultBridge?: string): Vif {
  const details = port["binding:vif_details"] ?? {}
  const bridge = details.bridge_name ?? defaultBridge
  if (bridge === undefined) {
    throw new PilothouseError(
      "INVALID",
      `expected bridge_name in the vif_details of port ${port.id}, found none; set [neutron_defaults] ovs_bridge`,
    )
  }
  const hybrid = details.ovs_hybrid_plug === true
  return {
    type: hybrid ? "VIFBridge" : "VIFOpenVSwitch",
    ...shared(port, around, bridge),
    plugin: "ovs",
    bridge_name: hybrid ? `qbr${port.id}`.slice(0, maxNameLength) : bridge,
    port_profile: { interface_id: port.id },
  }
}

/** A subport of the node's trunk. */
export function vlanVif(port: PortFacts, around: PortSurroundings, vlan_id: number): Vif {
  return { type: "VIFVlanNested", ...shared(port, around), plugin: "noop", vlan_id }
}

/** A second address on the node's own port. */
export function macvlanVif(port: PortFacts, around: PortSurroundings): Vif {
  return { type: "VIFMacvlanNested", ...shared(port, around), plugin: "noop" }
}

function shared(port: PortFacts, around: PortSurroundings, bridge?: string) {
  return {
    id: port.id,
    address: port.mac_address,
    network: toVifNetwork(port, around, bridge),
    vif_name: `tap${port.id}`.slice(0, maxNameLength),
    active: port.status === "ACTIVE",
    preserve_on_delete: false,
    has_traffic_filtering: port["binding:vif_details"]?.port_filter ?? false,
  }
}

/** A name that is null is left out, an MTU that is null is written: so does the seed's translator. */
function toVifNetwork({ fixed_ips }: PortFacts, { network, subnets }: PortSurroundings, bridge: string | undefined): VifNetwork {
  const used = subnets.filter(({ id }) => fixed_ips.some(({ subnet_id }) => subnet_id === id))
  return {
    id: network.id,
    ...(network.name === null ? {} : { label: network.name }),
    mtu: network.mtu,
    multi_host: false,
    should_provide_bridge: false,
    should_provide_vlan: false,
    ...(bridge === undefined ? {} : { bridge }),
    subnets: used.map((subnet) => toVifSubnet(fixed_ips, subnet)),
  }
}

function toVifSubnet(fixed_ips: PortFacts["fixed_ips"], subnet: PortSurroundings["subnets"][number]): VifSubnet {
  return {
    cidr: subnet.cidr,
    dns: subnet.dns_nameservers,
    ...(subnet.gateway_ip === null ? {} : { gateway: subnet.gateway_ip }),
    ips: fixed_ips.filter(({ subnet_id }) => subnet_id === subnet.id).map(({ ip_address }) => ({ address: ip_address })),
    routes: subnet.host_routes.map(({ destination, nexthop }) => ({ cidr: destination, gateway: nexthop })),
  }
}
