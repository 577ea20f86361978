/** How the text of an option is read. */
export type OptionType = "text" | "list" | "number" | "switch" | readonly string[]

export interface Option {
  readonly section: string
  readonly name: string
  readonly type: OptionType
  readonly fallback?: string
  /** Where to find the value of one that there is no doing without. */
  readonly required?: string
  /** The driver that needs it, where not every driver does. */
  readonly neededBy?: { readonly option: string; readonly values: readonly string[] }
}

const option = (section: string, name: string, type: OptionType, fallback?: string): Option => ({ section, name, type, fallback })

const needed = (name: string, type: OptionType, required: string): Option => ({ section: "neutron_defaults", name, type, required })

const drivers: readonly Option[] = [
  option("kubernetes", "pod_project_driver", ["default"], "default"),
  option("kubernetes", "service_project_driver", ["default"], "default"),
  option("kubernetes", "pod_subnets_driver", ["default"], "default"),
  option("kubernetes", "service_subnets_driver", ["default"], "default"),
  option("kubernetes", "pod_security_groups_driver", ["default", "namespace"], "default"),
  option("kubernetes", "service_security_groups_driver", ["default", "namespace"], "default"),
  option("kubernetes", "pod_vif_driver", ["neutron-vif", "nested-vlan", "nested-macvlan"], "neutron-vif"),
  option("kubernetes", "vif_pool_driver", ["noop", "neutron", "nested"], "noop"),
  // The seed knew only lbaasv2; without a value it is the service that still exists.
  option("kubernetes", "endpoints_lbaas_driver", ["octavia", "lbaasv2"], "octavia"),
  option("kubernetes", "enabled_handlers", "list", "vif,lbaasspec,lb"),
]

const kubernetes: readonly Option[] = [
  option("kubernetes", "api_root", "text", "http://localhost:8080"),
  option("kubernetes", "ssl_client_crt_file", "text"),
  option("kubernetes", "ssl_client_key_file", "text"),
  option("kubernetes", "ssl_ca_crt_file", "text"),
  option("kubernetes", "ssl_verify_server_crt", "switch", "false"),
  option("kubernetes", "token_file", "text", ""),
]

const neutron: readonly Option[] = [
  needed("project", "text", "`openstack project list`: the ID of the project that ports and load balancers are made in"),
  needed("pod_subnet", "text", "`openstack subnet list`: the ID of the subnet that pods get their addresses from"),
  needed(
    "service_subnet",
    "text",
    "`openstack subnet list`: the ID of the subnet whose range is the API server's --service-cluster-ip-range",
  ),
  needed("pod_security_groups", "list", "`openstack security group list`: the IDs of the groups of pods, with commas between them"),
  option("neutron_defaults", "ovs_bridge", "text"),
  option("neutron_defaults", "external_svc_net", "text"),
  option("neutron_defaults", "external_svc_subnet", "text"),
  option("neutron_defaults", "resource_tags", "list", ""),
  {
    ...option("pod_vif_nested", "worker_nodes_subnet", "text"),
    required: "`openstack subnet list`: the ID of the subnet that the nodes have their addresses in",
    neededBy: { option: "pod_vif_driver", values: ["nested-vlan", "nested-macvlan"] },
  },
  option("vif_pool", "ports_pool_max", "number", "0"),
  option("vif_pool", "ports_pool_min", "number", "5"),
  option("vif_pool", "ports_pool_batch", "number", "10"),
  option("vif_pool", "ports_pool_update_frequency", "number", "20"),
  option("octavia_defaults", "member_mode", ["L3", "L2"], "L3"),
  option("octavia_defaults", "lb_algorithm", "text", "ROUND_ROBIN"),
  option("octavia_defaults", "sg_mode", ["update", "create"], "update"),
  option("binding", "driver", "text", "kuryr.lib.binding.drivers.veth"),
  option("binding", "link_iface", "text", ""),
]

/** The known options of kuryr.conf. `[neutron]` has those of keystoneauth, which are read at login. */
export const options: readonly Option[] = [...kubernetes, ...drivers, ...neutron]
