// What docs/guides/coming-from-occm.md says to run, on an API server and a cloud with sockets: a load balancer that OCCM left is taken over.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { nodes, services } from "@pilothouse/api/core/v1"
import { cloudOfCloudConf, EmbeddedOpenStack, openStack, readCloudConf, serveOpenStack } from "@pilothouse/openstack"
import { createClient, defaultTransport } from "@pilothouse/runtime"
import { silentLog, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { afterEach, expect, test, vi } from "vitest"
import { startApiServer } from "../apiserver/start.ts"
import { defaults } from "../apiserver/testing/flags.ts"
import { runProgram } from "../program.ts"
import { Signals } from "./testing/signals.ts"

afterEach(() => vi.restoreAllMocks())

const root = join(import.meta.dirname, "../../../..")
const guide = readFileSync(join(root, "docs/guides/coming-from-occm.md"), "utf8")
const [, conf = ""] = /```ini\n(.*?)```/s.exec(guide) ?? []
const commands = [...guide.matchAll(/npx @pilothouse\/cli (run --cloud-provider .*)$/gm)].map(([, words = ""]) => words.split(" "))
const id = "loadbalancer.openstack.org/load-balancer-id"

/** The guide's cloud.conf with the login and the networks of a cloud that is there. */
function confOf({ seed }: EmbeddedOpenStack, authUrl: string): string {
  const values: Readonly<Record<string, string>> = {
    "auth-url": authUrl,
    username: seed.user.name,
    password: seed.user.password,
    "tenant-name": seed.projectName,
    "subnet-id": seed.podSubnet,
    "floating-network-id": seed.publicNetwork,
    "create-monitor": "false",
  }
  return conf.replace(/^([a-z-]+) = .*$/gm, (line, name: string) => (values[name] === undefined ? line : `${name} = ${values[name]}`))
}

test("every option of the guide's cloud.conf is read", () => {
  const { access } = cloudOfCloudConf(conf)
  expect(access).toMatchObject({ authUrl: "https://keystone.example:5000/v3", region: "RegionOne", credentials: { password: "secret" } })
  const { subnetId, floatingNetworkId, createMonitor } = readCloudConf(conf)
  expect([subnetId, floatingNetworkId, createMonitor]).toEqual([expect.any(String), expect.any(String), true])
})

test("the commands of the guide: a dry run leaves the Service alone, then what OCCM made serves it on", async () => {
  await using making = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), "pilothouse-occm-"))
  making.defer(() => rmSync(folder, { recursive: true }))
  const [kubeconfig, cloudConf] = [join(folder, "kubeconfig"), join(folder, "cloud.conf")]
  const cloud = new EmbeddedOpenStack({ clock: systemClock, random: systemRandom(), knobs: { loadBalancerDelay: 0 } })
  const { authUrl } = making.use(await serveOpenStack(cloud))
  writeFileSync(cloudConf, confOf(cloud, authUrl))
  const seams = { clock: systemClock, random: systemRandom(), files: virtualFiles(systemClock), log: silentLog }
  writeFileSync(kubeconfig, JSON.stringify(making.use(await startApiServer(defaults, seams)).kubeconfig))
  const client = createClient(making.use(await defaultTransport({ kubeconfig, clock: systemClock })).transport)
  const { octavia } = openStack({ access: cloud.access(), connect: cloud.connect, clock: systemClock })
  const left = await octavia.loadBalancers.create({ name: "kube_service_kubernetes_default_web", vip_subnet_id: cloud.seed.podSubnet })
  const status = { addresses: [{ type: "InternalIP", address: "10.10.0.9" }] }
  await client.create(nodes, { apiVersion: "v1", kind: "Node", metadata: { name: "worker" }, status })
  const spec = { type: "LoadBalancer" as const, selector: { app: "web" }, ports: [{ port: 80 }] }
  const metadata = { name: "web", namespace: "default", finalizers: ["service.kubernetes.io/load-balancer-cleanup"] }
  const web = await client.create(services, { apiVersion: "v1", kind: "Service", metadata, spec })
  await client.updateStatus(services, { ...web, status: { loadBalancer: { ingress: [{ ip: left.vip_address }] } } })
  const written = [process.stdout, process.stderr].map((output) => vi.spyOn(output, "write").mockImplementation(() => true))
  const said = () => written.flatMap(({ mock }) => mock.calls.map(([text]) => String(text))).join("")
  using signals = new Signals()
  const run = (words: readonly string[]) =>
    runProgram([...words.map((word) => (word === "cloud.conf" ? cloudConf : word)), "--kubeconfig", kubeconfig])
  const [look, work] = commands
  const looking = run(look!)
  await expect.poll(said, { timeout: 5000 }).toContain("ensure balancer of default/web")
  signals.send("SIGTERM")
  expect(await looking).toBe(0)
  expect((await client.get(services, "default/web")).metadata.annotations?.[id]).toBeUndefined()
  const working = run(work!)
  await expect.poll(async () => (await client.get(services, "default/web")).metadata.annotations?.[id], { timeout: 15_000 }).toBe(left.id)
  signals.send("SIGTERM")
  expect(await working).toBe(0)
  expect(cloud.octavia.balancers.where(() => true).map((one) => one.id)).toEqual([left.id])
})
