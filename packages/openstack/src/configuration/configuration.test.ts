import { seededRandom, silentLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { createDrivers } from "../drivers/drivers.ts"
import { kuryrConfiguration, readKuryrConf } from "./configuration.ts"
import { parseIni } from "./ini.ts"

const whole = `
[DEFAULT]
debug = True
[kubernetes]
api_root = https://10.0.0.1:6443
pod_vif_driver = nested-vlan
vif_pool_driver = nested
# a comment
[neutron]
auth_url = http://127.0.0.1:5000
[neutron_defaults]
project = 22acf7eff1e246ffba05639c235ee958
pod_subnet = pods
service_subnet: services
pod_security_groups = one, two,
  three
ovs_brigde = br-int
[pod_vif_nested]
worker_nodes_subnet = nodes
[vif_pool]
ports_pool_min = 2
`

test("a kuryr.conf is taken as it is; what is not in it has kuryr's defaults", () => {
  const read = readKuryrConf(whole)
  expect(read).toMatchObject({
    podVifDriver: "nested-vlan",
    vifPoolDriver: "nested",
    project: "22acf7eff1e246ffba05639c235ee958",
    serviceSubnet: "services",
    podSecurityGroups: ["one", "two", "three"],
    workerNodesSubnet: "nodes",
    pool: { min: 2, max: 0, batch: 10, updateFrequency: 20_000 },
    enabledHandlers: ["vif", "lbaasspec", "lb"],
    memberMode: "L3",
  })
  expect(read.sections.neutron?.auth_url).toBe("http://127.0.0.1:5000")
})

test("defaults are kuryr's, but for the load balancing service that no longer exists", () => {
  const defaults = { project: "p", pod_subnet: "a", service_subnet: "b", pod_security_groups: "g" }
  const { sections: _, ...read } = kuryrConfiguration({ neutron_defaults: defaults })
  expect(read).toEqual({
    podVifDriver: "neutron-vif",
    vifPoolDriver: "noop",
    lbaasDriver: "octavia",
    podSecurityGroupsDriver: "default",
    serviceSecurityGroupsDriver: "default",
    enabledHandlers: ["vif", "lbaasspec", "lb"],
    project: "p",
    podSubnet: "a",
    serviceSubnet: "b",
    podSecurityGroups: ["g"],
    ovsBridge: undefined,
    externalNetwork: undefined,
    externalSubnet: undefined,
    resourceTags: [],
    workerNodesSubnet: undefined,
    pool: { max: 0, min: 5, batch: 10, updateFrequency: 20_000 },
    memberMode: "L3",
    lbAlgorithm: "ROUND_ROBIN",
    unknown: [],
  })
})

test.each([
  [{ pod_vif_driver: "neutron-vif", vif_pool_driver: "nested" }, "vif_pool_driver = nested does not fit pod_vif_driver = neutron-vif"],
  [{ pod_vif_driver: "nested-vlan", vif_pool_driver: "neutron" }, "vif_pool_driver = neutron does not fit pod_vif_driver = nested-vlan"],
  [
    { pod_vif_driver: "nested-macvlan", vif_pool_driver: "nested" },
    "vif_pool_driver = nested does not fit pod_vif_driver = nested-macvlan",
  ],
])("refuses drivers that do not fit each other before anything is created: %o", (chosen, message) => {
  const defaults = { project: "p", pod_subnet: "a", service_subnet: "b", pod_security_groups: "g" }
  const nested = { worker_nodes_subnet: "nodes" }
  const configuration = kuryrConfiguration({ kubernetes: chosen, neutron_defaults: defaults, pod_vif_nested: nested })
  const clock = new VirtualClock()
  const options = { cloud: { neutron: {} } as never, configuration, clusterMarks: { cluster: "one" }, clock, random: seededRandom(1) }
  expect(() => createDrivers({ ...options, log: silentLog })).toThrow(message)
})

test("names an unknown option, with what was meant", () => {
  expect(readKuryrConf(whole).unknown).toEqual(["[neutron_defaults] ovs_brigde; did you mean ovs_bridge?"])
})

const needed = "[neutron_defaults]\nproject = p\npod_subnet = a\nservice_subnet = b\npod_security_groups = g\n"

test.each<[name: string, text: string, unknown: readonly string[]]>([
  ["one that is like none, in a section that is wholly ours", "[vif_pool]\nmagic = 1\n", ["[vif_pool] magic"]],
  ["one that is like none, in a section that others have options in too", "[kubernetes]\nport_debug = True\n", []],
  ["a slip in such a section", "[kubernetes]\npod_vif_drivr = x\n", ["[kubernetes] pod_vif_drivr; did you mean pod_vif_driver?"]],
  ["a slip of the login", "[neutron]\nusrname = u\nkeyfile = k\n", ["[neutron] usrname; did you mean username?"]],
  ["one that belongs elsewhere", "[vif_pool]\nmember_mode = L2\n", ["[vif_pool] member_mode; it belongs into [octavia_defaults]"]],
  ["a section", "[octavia_default]\nmember_mode = L2\n", ["[octavia_default]; did you mean [octavia_defaults]?"]],
  ["a section of another program", "[cni_daemon]\nworkers = 3\n", []],
])("means nothing here: %s", (_, text, unknown) => {
  expect(readKuryrConf(`${needed}${text}`).unknown).toEqual(unknown)
})

test("an option that is missing because it is misspelt: both are in one message", () => {
  const read = () => readKuryrConf(needed.replace("pod_subnet", "pod_subnett"))
  expect(read).toThrow(
    /- \[neutron_defaults\] pod_subnet is missing; .*\n- means nothing here: \[neutron_defaults\] pod_subnett; did you mean pod_subnet\?$/,
  )
})

test("the same as keys of our own file, with numbers and lists", () => {
  const read = kuryrConfiguration({
    neutron_defaults: { project: "p", pod_subnet: "a", service_subnet: "b", pod_security_groups: ["x", "y"] },
    vif_pool: { ports_pool_max: 50 },
  })
  expect(read).toMatchObject({ podSecurityGroups: ["x", "y"], pool: { max: 50 }, podVifDriver: "neutron-vif", vifPoolDriver: "noop" })
})

test("an option without a value, as YAML may have it, is missing", () => {
  const defaults = { project: "p", pod_subnet: null, service_subnet: "b", pod_security_groups: ["x"] }
  expect(() => kuryrConfiguration({ neutron_defaults: defaults })).toThrow(/pod_subnet is missing/)
})

test("everything that is missing is named at once, with where to find it", () => {
  expect(() => readKuryrConf("[kubernetes]\npod_vif_driver = nested-vlan\n")).toThrow(
    /project is missing; `openstack project list`[^]*pod_subnet is missing[^]*service_subnet is missing[^]*pod_security_groups is missing[^]*worker_nodes_subnet is missing/,
  )
})

test.each([
  [
    "an unknown driver",
    "[kubernetes]\npod_vif_driver = magic\n",
    /pod_vif_driver: expected one of neutron-vif, nested-vlan, nested-macvlan, found "magic"/,
  ],
  ["a number that is none", "[vif_pool]\nports_pool_min = many\n", /ports_pool_min: expected a whole number, found "many"/],
  ["a line that is nothing", "[vif_pool]\nports_pool_min\n", /line 2: expected \[section\] or name = value, found "ports_pool_min"/],
  ["a password without its sign", "[neutron]\npassword hush\n", /line 2: expected \[section\] or name = value, found "password …"$/],
  ["an option before any section", "project = x\n", /line 1: .*the option project before any section/],
  ["a line that goes on nothing", "[vif_pool]\n  12\n", /line 2: .*goes on nothing/],
])("refused: %s", (_, text, message) => {
  expect(() => readKuryrConf(text)).toThrow(message)
})

test("a # behind a value belongs to it, as oslo.config has it; the last of two wins", () => {
  expect(parseIni("[a]\nb = 1 # one\nb = 2 # two\n")).toEqual({ a: { b: "2 # two" } })
})

test("reports repeated options, across parts of a section too", () => {
  const warnings: string[] = []
  parseIni("[a]\nb = 1\n[c]\nb = 1\n[a]\nb = 2\nd = 1\n", "x", (option) => warnings.push(option))
  expect(warnings).toEqual(["[a] b"])
})

test("sections and options named like members of every object are only names", () => {
  const sections = parseIni("[__proto__]\npolluted = yes\n[constructor]\nkeys = 1\n[a]\n__proto__ = b\n")
  expect(Object.keys(sections)).toEqual(["__proto__", "constructor", "a"])
  expect(sections.__proto__?.polluted).toBe("yes")
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  expect(typeof Object.keys).toBe("function")
})

test("a long line that cannot be read is quoted by its beginning", () => {
  expect(() => parseIni(`[a]\n${"x".repeat(100_000)}\n`)).toThrow(`expected [section] or name = value, found "${"x".repeat(80)} …"`)
})
