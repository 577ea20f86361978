import { closest, PilothouseError } from "@pilothouse/seams"
import { parseIni, type Sections } from "./ini.ts"
import { cloudOptions, loginOptions } from "./login-options.ts"

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

/** What the handlers and drivers go by, under the names of kuryr.conf. */
export interface KuryrConfiguration {
  readonly podVifDriver: "neutron-vif" | "nested-vlan" | "nested-macvlan"
  readonly vifPoolDriver: "noop" | "neutron" | "nested"
  readonly lbaasDriver: "octavia" | "lbaasv2"
  readonly podSecurityGroupsDriver: "default" | "namespace"
  readonly serviceSecurityGroupsDriver: "default" | "namespace"
  readonly enabledHandlers: readonly string[]
  readonly project: string
  readonly podSubnet: string
  readonly serviceSubnet: string
  readonly podSecurityGroups: readonly string[]
  readonly ovsBridge?: string
  readonly externalNetwork?: string
  readonly externalSubnet?: string
  readonly resourceTags: readonly string[]
  readonly workerNodesSubnet?: string
  readonly pool: PoolSizes
  readonly memberMode: "L2" | "L3"
  readonly lbAlgorithm: string
  /** Unknown options, each with the one that was probably meant: a typing mistake, or one of a later kuryr. */
  readonly unknown: readonly string[]
  /** All options, for other readers: [neutron] has the credentials. */
  readonly sections: Sections
}

/** Limits of each port pool, as [vif_pool] of kuryr.conf has them. */
export interface PoolSizes {
  /** 0: no limit. */
  readonly max: number
  readonly min: number
  readonly batch: number
  /** Milliseconds between two fillings of one pool. */
  readonly updateFrequency: number
}

/** From the text of a kuryr.conf. */
export function readKuryrConf(text: string, file = "kuryr.conf"): KuryrConfiguration {
  return kuryrConfiguration(parseIni(text, file))
}

/** Parses the sections of a kuryr.conf, whatever is in them. `repeated` is called with options that occur again: the last one counts. */
export function parseKuryrConf(text: string, file = "kuryr.conf", repeated?: (option: string) => void): Sections {
  return parseIni(text, file, repeated)
}

/** An option without a value is null in YAML. */
type Given = Readonly<Record<string, Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>>>

/** From sections of options, as our own configuration file has them too. Everything that is missing is named at once. */
export function kuryrConfiguration(given: Given): KuryrConfiguration {
  const sections = asText(given)
  const value = (one: Option): string => sections[one.section]?.[one.name]?.trim() || one.fallback || ""
  const wrong = [...missing(value), ...options.flatMap((one) => mistakes(one, value(one)))]
  const unknown = unknownIn(sections)
  if (wrong.length > 0) {
    // What is missing may be there, misspelt.
    const lines = [...wrong, ...unknown.map((one) => `means nothing here: ${one}`)]
    throw new PilothouseError("INVALID", `the configuration cannot be used:\n${lines.map((line) => `- ${line}`).join("\n")}`)
  }
  const text = (name: string): string => value(findOption(name))
  const list = (name: string): readonly string[] => parseList(text(name))
  const chosen = <T extends string>(name: string): T => text(name) as T
  return {
    podVifDriver: chosen("pod_vif_driver"),
    vifPoolDriver: chosen("vif_pool_driver"),
    lbaasDriver: chosen("endpoints_lbaas_driver"),
    podSecurityGroupsDriver: chosen("pod_security_groups_driver"),
    serviceSecurityGroupsDriver: chosen("service_security_groups_driver"),
    enabledHandlers: list("enabled_handlers"),
    project: text("project"),
    podSubnet: text("pod_subnet"),
    serviceSubnet: text("service_subnet"),
    podSecurityGroups: list("pod_security_groups"),
    ovsBridge: text("ovs_bridge") || undefined,
    externalNetwork: text("external_svc_net") || undefined,
    externalSubnet: text("external_svc_subnet") || undefined,
    resourceTags: list("resource_tags"),
    workerNodesSubnet: text("worker_nodes_subnet") || undefined,
    pool: {
      max: Number(text("ports_pool_max")),
      min: Number(text("ports_pool_min")),
      batch: Number(text("ports_pool_batch")),
      updateFrequency: Number(text("ports_pool_update_frequency")) * 1000,
    },
    memberMode: chosen("member_mode"),
    lbAlgorithm: text("lb_algorithm"),
    unknown,
    sections,
  }
}

function missing(value: (one: Option) => string): readonly string[] {
  return options
    .filter(
      ({ required, neededBy }) =>
        required !== undefined && (neededBy === undefined || neededBy.values.includes(value(findOption(neededBy.option)))),
    )
    .filter((one) => value(one) === "")
    .map((one) => `[${one.section}] ${one.name} is missing; ${one.required}`)
}

function mistakes({ section, name, type }: Option, value: string): readonly string[] {
  const expected = (what: string) => [`[${section}] ${name}: expected ${what}, found ${JSON.stringify(value)}`]
  if (type === "number" && !/^\d+$/.test(value)) return expected("a whole number")
  if (type === "switch" && !/^(true|false|1|0|yes|no|on|off)$/i.test(value)) return expected("true or false")
  if (typeof type !== "string" && !type.includes(value)) return expected(`one of ${type.join(", ")}`)
  return []
}

function findOption(name: string): Option {
  const found = options.find((one) => one.name === name && !(one.name === "driver" && one.section !== "binding"))
  if (found === undefined) throw new PilothouseError("INVALID", `expected an option of the table, found ${name}`)
  return found
}

function asText(given: Given): Sections {
  const entries = Object.entries(given).map(([section, values]) => {
    const texts = Object.entries(values).filter(([, value]) => value !== undefined && value !== null)
    return [
      section,
      Object.fromEntries(texts.map(([name, value]) => [name, Array.isArray(value) ? value.join(",") : String(value)])),
    ] as const
  })
  return Object.fromEntries(entries)
}

function parseList(text: string): readonly string[] {
  return text
    .split(/[,\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== "")
}

/** Sections of which every option is known here. The others have options of libraries, and of kuryr's other programs. */
const wholeSections: readonly string[] = ["neutron_defaults", "pod_vif_nested", "vif_pool"]

/** The options of [neutron] that may be misspelled. */
const login: readonly string[] = [...loginOptions, ...cloudOptions]

const ourSections: readonly string[] = [...new Set(options.map(({ section }) => section)), "neutron"]

/** Returns what is unknown, each with what was probably meant: options, and sections whose name is nearly that of a known one. */
function unknownIn(sections: Sections): readonly string[] {
  return Object.entries(sections).flatMap(([section, values]) => {
    if (ourSections.includes(section)) return Object.keys(values).flatMap((name) => unknownOption(section, name))
    const meant = closest(section, ourSections)
    return meant === undefined ? [] : [`[${section}]; did you mean [${meant}]?`]
  })
}

function unknownOption(section: string, name: string): readonly string[] {
  const known = section === "neutron" ? login : options.filter((one) => one.section === section).map((one) => one.name)
  if (known.includes(name)) return []
  const meant = closest(name, known)
  if (meant !== undefined) return [`[${section}] ${name}; did you mean ${meant}?`]
  const home = wholeSections.includes(section) ? options.find((one) => one.name === name)?.section : undefined
  if (home !== undefined) return [`[${section}] ${name}; it belongs into [${home}]`]
  return wholeSections.includes(section) ? [`[${section}] ${name}`] : []
}

/** How the text of an option is read. */
type OptionType = "text" | "list" | "number" | "switch" | readonly string[]

interface Option {
  readonly section: string
  readonly name: string
  readonly type: OptionType
  readonly fallback?: string
  /** Where to find the value of one that there is no doing without. */
  readonly required?: string
  /** The driver that needs it, where not every driver does. */
  readonly neededBy?: { readonly option: string; readonly values: readonly string[] }
}
