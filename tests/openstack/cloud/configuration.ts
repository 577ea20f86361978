/** Where everything of one cloud is. */
export interface CloudLayout {
  readonly directory: string
  readonly ports: { readonly database: number; readonly keystone: number; readonly neutron: number; readonly octavia: number }
}

type Sections = Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>

function ini(sections: Sections): string {
  const text = Object.entries(sections).map(([name, values]) => [
    `[${name}]`,
    ...Object.entries(values).map(([key, value]) => `${key} = ${value === true ? "True" : value === false ? "False" : value}`),
  ])
  return `${text.flat().join("\n")}\n`
}

export function databaseUrl({ ports }: CloudLayout, name: string): string {
  return `mysql+pymysql://cloud:cloud@127.0.0.1:${ports.database}/${name}?charset=utf8`
}

function login({ ports }: CloudLayout, user: string): Sections[string] {
  const url = `http://127.0.0.1:${ports.keystone}`
  const place = { project_name: "service", user_domain_id: "default", project_domain_id: "default", region_name: "RegionOne" }
  return { www_authenticate_uri: url, auth_url: url, auth_type: "password", username: user, password: user, ...place }
}

/** Every configuration file but Octavia's, by its name. */
export function configurationFiles(layout: CloudLayout, user: string): Readonly<Record<string, string>> {
  return {
    "database.cnf": database(layout, user),
    "keystone.conf": keystone(layout),
    "neutron.conf": neutron(layout),
    "ml2.ini": ml2(),
  }
}

function database({ directory, ports }: CloudLayout, user: string): string {
  const files = { datadir: `${directory}/database`, socket: `${directory}/run/database.sock`, "pid-file": `${directory}/run/database.own` }
  const net = { "bind-address": "127.0.0.1", port: ports.database, "skip-name-resolve": 1, max_connections: 300 }
  // What is in it is worth nothing after the run: speed matters, a power cut does not.
  return ini({ mariadbd: { user, ...files, ...net, "skip-log-bin": 1, innodb_flush_log_at_trx_commit: 0 } })
}

function keystone(layout: CloudLayout): string {
  const { directory } = layout
  return ini({
    // In the memory of its one process: without it every token that is shown costs dozens of queries.
    cache: { enabled: true, backend: "oslo_cache.dict" },
    database: { connection: databaseUrl(layout, "keystone") },
    identity: { password_hash_rounds: 4 },
    token: { provider: "fernet", expiration: 86_400 },
    fernet_tokens: { key_repository: `${directory}/keys/fernet` },
    credential: { key_repository: `${directory}/keys/credential` },
    oslo_policy: { policy_dirs: "/etc/keystone/policy.d" },
  })
}

const unlimited = (names: string, prefix: string, suffix = "") =>
  Object.fromEntries(names.split(" ").map((name) => [`${prefix}${name}${suffix}`, -1]))

function neutron(layout: CloudLayout): string {
  const { directory, ports } = layout
  return ini({
    DEFAULT: {
      auth_strategy: "keystone",
      core_plugin: "ml2",
      service_plugins: "router,trunk",
      bind_host: "127.0.0.1",
      bind_port: ports.neutron,
      api_workers: 0,
      rpc_workers: 0,
      rpc_state_report_workers: 0,
      transport_url: "fake://",
      state_path: `${directory}/state`,
      api_paste_config: `${directory}/conf/neutron-paste.ini`,
      dhcp_agent_notification: false,
      notify_nova_on_port_status_changes: false,
      notify_nova_on_port_data_changes: false,
    },
    keystone_authtoken: login(layout, "neutron"),
    database: { connection: databaseUrl(layout, "neutron") },
    oslo_concurrency: { lock_path: `${directory}/lock` },
    oslo_policy: { policy_dirs: "/etc/neutron/policy.d" },
    quotas: unlimited("port network subnet router floatingip trunk security_group security_group_rule", "quota_"),
  })
}

/** Neutron's own pipeline with our gate in front. */
export function neutronPaste(stock: string): string {
  const gate = "[filter:gate]\npaste.filter_factory = pilothouse_knobs:filter_factory\nservice = neutron\n"
  return `${stock.replace("/v2.0: neutronapi_v2_0", "/v2.0: gated_v2_0")}\n[pipeline:gated_v2_0]\npipeline = gate neutronapi_v2_0\n${gate}`
}

function ml2(): string {
  return ini({
    ml2: {
      type_drivers: "local,flat,vlan,vxlan",
      tenant_network_types: "vxlan",
      mechanism_drivers: "openvswitch,pilothouse",
      extension_drivers: "port_security",
    },
    ml2_type_flat: { flat_networks: "public" },
    ml2_type_vlan: { network_vlan_ranges: "physnet1:100:200" },
    ml2_type_vxlan: { vni_ranges: "1:500" },
    securitygroup: { enable_security_group: true },
  })
}

/** Its worker looks the management network up whenever members change: it has to be there. */
export function octaviaConfiguration(layout: CloudLayout, managementNetwork: string): string {
  const { directory, ports } = layout
  const authority = `${directory}/certs/ca.pem`
  return ini({
    DEFAULT: { transport_url: "fake://" },
    api_settings: {
      bind_host: "127.0.0.1",
      bind_port: ports.octavia,
      auth_strategy: "keystone",
      default_provider_driver: "amphora",
      enabled_provider_drivers: "amphora: real flows without machines,stuck: stays in PENDING_CREATE",
    },
    keystone_authtoken: login(layout, "octavia"),
    service_auth: login(layout, "octavia"),
    database: { connection: databaseUrl(layout, "octavia") },
    controller_worker: {
      amphora_driver: "pilothouse",
      compute_driver: "pilothouse",
      network_driver: "allowed_address_pairs_driver",
      volume_driver: "volume_noop_driver",
      image_driver: "image_noop_driver",
      amp_boot_network_list: managementNetwork,
      amp_flavor_id: 1,
      client_ca: authority,
    },
    certificates: {
      cert_generator: "local_cert_generator",
      cert_manager: "local_cert_manager",
      ca_certificate: authority,
      ca_private_key: `${directory}/certs/ca.encrypted.key`,
      ca_private_key_passphrase: "for-tests-only",
      server_certs_key_passphrase: "insecure-key-do-not-use-this-key",
    },
    health_manager: { heartbeat_key: "insecure" },
    oslo_messaging: { topic: "octavia_prov" },
    oslo_policy: { policy_dirs: "/etc/octavia/policy.d" },
    quotas: unlimited("load_balancer listener member pool health_monitor", "default_", "_quota"),
    task_flow: { persistence_connection: "sqlite://" },
    neutron: {
      endpoint: `http://127.0.0.1:${ports.neutron}`,
      region_name: "RegionOne",
      service_name: "neutron",
      valid_interfaces: "public",
    },
  })
}
