import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { type CloudLayout, configurationFiles, databaseUrl, neutronPaste, octaviaConfiguration } from "./configuration.ts"
import { Processes } from "./processes.ts"
import { hosts, makeAccounts, makeManagementNetwork, makeNetworks } from "./seed.ts"

/** Debian's own: its packages put their libraries only there. */
const python = "/usr/bin/python3"

/**
 * Keystone, Neutron, Octavia and MariaDB on this machine, from nothing. They listen on 127.0.0.1 only, and end when this is disposed of.
 * No agents, no machines, no broker: what stands in for them is in python/.
 */
export async function startCloud(layout: CloudLayout, say: (line: string) => void): Promise<AsyncDisposable> {
  const processes = new Processes(layout.directory)
  try {
    writeFiles(layout)
    makeCertificates(layout, processes)
    await startDatabase(layout, processes)
    say("database ready")
    makeTables(layout, processes)
    say("tables made")
    startServices(layout, processes)
    await processes.ready("keystone", layout.ports.keystone)
    await makeAccounts(layout)
    await processes.ready("neutron", layout.ports.neutron)
    startOctavia(layout, processes, await makeManagementNetwork(layout))
    await processes.ready("octavia", layout.ports.octavia)
    say("services ready")
    await makeNetworks(layout)
    say("networks made")
    return processes
  } catch (error) {
    await processes[Symbol.asyncDispose]()
    throw error
  }
}

function writeFiles(layout: CloudLayout): void {
  const { directory } = layout
  for (const folder of ["conf", "lib/pilothouse-1.0.dist-info", "log", "run", "knobs", "state", "lock"])
    mkdirSync(join(directory, folder), { recursive: true })
  for (const folder of ["certs", "keys/fernet", "keys/credential"]) mkdirSync(join(directory, folder), { recursive: true, mode: 0o700 })
  const files = configurationFiles(layout, userInfo().username)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, "conf", name), text)
  writeFileSync(join(directory, "conf/neutron-paste.ini"), neutronPaste(readFileSync("/etc/neutron/api-paste.ini", "utf8")))
  const source = join(import.meta.dirname, "python")
  for (const file of readdirSync(source)) copyFileSync(join(source, file), join(directory, "lib", file))
  const about = join(directory, "lib/pilothouse-1.0.dist-info")
  writeFileSync(join(about, "METADATA"), "Metadata-Version: 2.1\nName: pilothouse\nVersion: 1.0\n")
  copyFileSync(join(source, "entry_points.txt"), join(about, "entry_points.txt"))
  // The database may run as another user than the one that made the directory.
  chmodSync(directory, 0o755)
}

function makeCertificates({ directory }: CloudLayout, processes: Processes): void {
  const at = (name: string) => join(directory, "certs", name)
  const subject = ["-days", "3650", "-subj", "/CN=pilothouse"]
  processes.run("openssl", [
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-keyout",
    at("ca.key"),
    "-out",
    at("ca.pem"),
    ...subject,
  ])
  const lock = ["-aes256", "-passout", "pass:for-tests-only"]
  processes.run("openssl", ["openssl", "rsa", ...lock, "-in", at("ca.key"), "-out", at("ca.encrypted.key")])
}

async function startDatabase({ directory, ports }: CloudLayout, processes: Processes): Promise<void> {
  const { username } = userInfo()
  const made = [
    "--no-defaults",
    `--user=${username}`,
    `--datadir=${directory}/database`,
    "--auth-root-authentication-method=normal",
    "--skip-test-db",
  ]
  processes.run("mariadb-install-db", ["mariadb-install-db", ...made])
  processes.start("database", ["mariadbd", `--defaults-file=${directory}/conf/database.cnf`])
  await processes.ready("database", ports.database)
  const names = ["keystone", "neutron", "octavia"].map((name) => `create database ${name} character set utf8;`).join("")
  sql(directory, processes, `${names} create user cloud@'127.0.0.1' identified by 'cloud'; grant all on *.* to cloud@'127.0.0.1';`)
}

function sql(directory: string, processes: Processes, text: string): void {
  processes.run("mariadb", ["mariadb", "--no-defaults", `--socket=${directory}/run/database.sock`, "-u", "root"], text)
}

function makeTables(layout: CloudLayout, processes: Processes): void {
  const { directory, ports } = layout
  for (const name of ["neutron", "octavia"]) {
    processes.run(`tables of ${name}`, [python, "-W", "ignore", `${directory}/lib/make_tables.py`, name, databaseUrl(layout, name)])
  }
  const { username } = userInfo()
  const owner = ["--keystone-user", username, "--keystone-group", username]
  const url = `http://127.0.0.1:${ports.keystone}/v3`
  const urls = ["admin", "public", "internal"].flatMap((from) => [`--bootstrap-${from}-url`, url])
  for (const words of [
    ["db_sync"],
    ["fernet_setup", ...owner],
    ["credential_setup", ...owner],
    ["bootstrap", "--bootstrap-password", "admin", "--bootstrap-region-id", "RegionOne", ...urls],
  ]) {
    processes.run(`keystone-manage ${words[0]}`, ["keystone-manage", "--config-file", `${directory}/conf/keystone.conf`, ...words])
  }
  for (const host of hosts) sql(directory, processes, agentRow(host))
}

/** With such a row the stock Open vSwitch driver believes in an agent on the host, and binds its ports. */
function agentRow(host: string): string {
  const configurations = JSON.stringify({
    tunnel_types: ["vxlan"],
    tunneling_ip: "127.0.0.1",
    bridge_mappings: { physnet1: "br-ex", public: "br-ex" },
    integration_bridge: "br-int",
    datapath_type: "system",
    ovs_hybrid_plug: false,
  })
  const columns =
    "id, agent_type, `binary`, topic, host, admin_state_up, created_at, started_at, heartbeat_timestamp, configurations, `load`"
  const values = `uuid(), 'Open vSwitch agent', 'neutron-openvswitch-agent', 'N/A', '${host}', 1, now(), now(), '2099-01-01', '${configurations}', 0`
  return `insert into neutron.agents (${columns}) values (${values});`
}

function startServices({ directory, ports }: CloudLayout, processes: Processes): void {
  const conf = (name: string) => `${directory}/conf/${name}`
  const socket = ["--http-socket", `127.0.0.1:${ports.keystone}`, "--wsgi-file", `${directory}/lib/keystone.wsgi`]
  const workers = ["--master", "--die-on-term", "--processes", "1", "--threads", "4", "--enable-threads", "--lazy-apps"]
  // A connection that is kept would be dropped by uwsgi, and Octavia would answer 503.
  const rest = ["--buffer-size", "65535", "--need-app", "--disable-logging", "--add-header", "Connection: close"]
  processes.start("keystone", ["uwsgi", "--plugins", "python3", ...socket, ...workers, ...rest], {
    OS_KEYSTONE_CONFIG_FILES: conf("keystone.conf"),
  })
  processes.start("neutron", ["neutron-server", "--config-file", conf("neutron.conf"), "--config-file", conf("ml2.ini")])
}

function startOctavia(layout: CloudLayout, processes: Processes, managementNetwork: string): void {
  const file = `${layout.directory}/conf/octavia.conf`
  writeFileSync(file, octaviaConfiguration(layout, managementNetwork))
  processes.start("octavia", [python, "-W", "ignore", `${layout.directory}/lib/serve_octavia.py`, "--config-file", file])
}
