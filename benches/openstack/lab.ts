import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { namespaces, nodes, type Pod, pods, serviceAccounts } from "@pilothouse/api/core/v1"
import { type CloudAccess, type OpenStack, openStack } from "@pilothouse/openstack"
import { type Client, createClient, defaultTransport, transportTo } from "@pilothouse/runtime"
import { systemClock } from "@pilothouse/seams/system"
import { startCloud } from "../../tests/openstack/cloud/start.ts"
import { type OurApiServer, startOurApiServer } from "../../tests/real/our-api-server.ts"
import { Handlers, type Settings } from "./handlers.ts"
import { bundleHandlers } from "./handlers-bundle.ts"

export const served = "served"
export const vifKey = "openstack.org/kuryr-vif"
export const stateKey = "openstack.org/kuryr-lbaas-state"
/** Milliseconds until the pretended agent reports a bound port as wired. */
export const agentDelay = 500

/** Ours, or a real one. */
export type LabServer = Pick<OurApiServer, "url" | "ca" | "kubeconfig">

/** A real cloud and an API server. */
export interface Lab extends AsyncDisposable {
  /** Of the cloud. */
  readonly directory: string
  /** What the cloud wrote about itself: tests/openstack/cloud/seed.ts. */
  readonly facts: Readonly<Record<string, string>>
  readonly server: LabServer
  readonly cloud: OpenStack
  readonly client: Client
  readonly project: string
  readonly podNetwork: string
  readonly podSubnet: string
  readonly serviceSubnet: string
  handlers(sections?: Settings["sections"]): Promise<Handlers>
  /** Turns the cloud: see tests/openstack/cloud/python/pilothouse_knobs.py. Undefined: as usual. */
  knob(name: string, value?: string): void
  /** Calls that a knob has made fail since it was turned last. */
  faulted(): number
}

export async function startLab(): Promise<Lab> {
  // The programs of the cloud end with this process, however it ends.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130))
  await using starting = new AsyncDisposableStack()
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-openstack-"))
  starting.defer(() => rmSync(directory, { recursive: true, force: true }))
  const ports = { database: 24_306, keystone: 26_000, neutron: 30_696, octavia: 30_876 }
  starting.use(await startCloud({ directory, ports }, (line) => console.log(`  ${line}`)))
  const lab = starting.use(await labOn(directory))
  const running = starting.move()
  return { ...lab, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** On the cloud that runs in a directory, with an API server of ours unless there is another. */
export async function labOn(directory: string, given?: LabServer): Promise<Lab> {
  await using starting = new AsyncDisposableStack()
  const facts = JSON.parse(readFileSync(join(directory, "cloud.json"), "utf8")) as Record<string, string>
  const access = accessOf(facts)
  const cloud = openStack({ access, clock: systemClock, connect })
  const server = given ?? starting.use(await startOurApiServer())
  const kubeconfig = server.kubeconfig("admin")
  const opened = starting.use(await defaultTransport({ kubeconfig, clock: systemClock }))
  const client = createClient(opened.transport)
  await furnish(client)
  const [project = "", podNetwork = "", podSubnet = ""] = [facts.PROJECT, facts.POD_NETWORK, facts.POD_SUBNET]
  const serviceSubnet = await makeServiceSubnet(cloud, facts.ROUTER ?? "")
  const defaults = { project, pod_subnet: podSubnet, service_subnet: serviceSubnet, pod_security_groups: facts.POD_SECURITY_GROUP ?? "" }
  const faults = () => readFileSync(join(directory, "log/access.log"), "utf8").match(/ 503 \d+$/gm)?.length ?? 0
  let known = 0
  const program = await bundleHandlers(directory)
  const running = starting.move()
  return {
    directory,
    facts,
    server,
    cloud,
    client,
    project,
    podNetwork,
    podSubnet,
    serviceSubnet,
    handlers: (sections = {}) => Handlers.start(program, { kubeconfig, access, sections: { ...sections, neutron_defaults: defaults } }),
    knob(name, value) {
      const path = join(directory, "knobs", name)
      if (value === undefined) rmSync(path, { force: true })
      else writeFileSync(path, value)
      known = faults()
    },
    faulted: () => faults() - known,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function accessOf(facts: Record<string, string>): CloudAccess {
  const domain = { id: "default" }
  const user = { name: facts.OS_USERNAME ?? "", domain }
  const project = { name: facts.OS_PROJECT_NAME ?? "", domain }
  const credentials = { type: "password", user, password: facts.OS_PASSWORD ?? "", project } as const
  return { authUrl: facts.OS_AUTH_URL ?? "", region: facts.OS_REGION_NAME, credentials }
}

function connect(url: string) {
  const opened = transportTo({ server: url, clock: systemClock })
  return async (request: Parameters<Awaited<typeof opened>["transport"]>[0]) => (await opened).transport(request)
}

/** The range of the API server's Services; Octavia's own ports and the gateway are in its upper half. */
async function makeServiceSubnet({ neutron }: OpenStack, router: string): Promise<string> {
  const [known] = await neutron.subnets.list({ name: "cluster-ips" })
  if (known !== undefined) return known.id
  const { id } = await neutron.networks.create({ name: "cluster-ips" })
  const pools = [{ start: "10.0.128.1", end: "10.0.255.253" }]
  const wanted = { name: "cluster-ips", network_id: id, ip_version: 4 as const, cidr: "10.0.0.0/16", gateway_ip: "10.0.255.254" }
  const subnet = await neutron.subnets.create({ ...wanted, enable_dhcp: false, allocation_pools: pools })
  await neutron.routers.addInterface(router, subnet.id)
  return subnet.id
}

async function furnish(client: Client): Promise<void> {
  await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: served, labels: { served: "yes" } } })
  await client.create(serviceAccounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: served } })
  await client.create(nodes, { apiVersion: "v1", kind: "Node", metadata: { name: "node1" } })
}

export function podOf(name: string): Pod {
  const spec = { nodeName: "node1", automountServiceAccountToken: false, containers: [{ name: "main", image: "web" }] }
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: served }, spec }
}

export async function removeAllPods({ client }: Lab): Promise<void> {
  for (const { metadata } of (await client.list(pods, { namespace: served })).items)
    await client.delete(pods, `${served}/${metadata.name}`, { gracePeriodSeconds: 0 })
}

/** Ports of pods, spare ones too. */
export async function podPorts({ cloud, project }: Lab, status?: "ACTIVE"): Promise<number> {
  return (await cloud.neutron.ports.list({ project_id: project, device_owner: "compute:kuryr", status, fields: "id" })).length
}

/** Of a pool that is no longer used. */
export async function removeSpare({ cloud: { neutron }, project }: Lab): Promise<void> {
  await systemClock.sleep(2_000)
  for (const { id } of await neutron.ports.list({ project_id: project, device_owner: "compute:kuryr", fields: "id" }))
    await neutron.ports.delete(id)
}

export async function untilSo(condition: () => Promise<boolean>, what: string, every = 50): Promise<void> {
  for (const end = systemClock.elapsed() + 600_000; !(await condition()); await systemClock.sleep(every))
    if (systemClock.elapsed() > end) throw new Error(`expected ${what} within 10 minutes`)
}
