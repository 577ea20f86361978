import { X509Certificate } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Deployment, deployments, replicaSets } from "@pilothouse/api/apps/v1"
import { leases } from "@pilothouse/api/coordination/v1"
import { serviceAccounts } from "@pilothouse/api/core/v1"
import { clusterRoleBindings, clusterRoles } from "@pilothouse/api/rbac/v1"
import { type Client, createClient, defaultTransport } from "@pilothouse/runtime"
import { readText, silentLog, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { afterEach, expect, test, vi } from "vitest"
import { startApiServer } from "../apiserver/start.ts"
import { defaults } from "../apiserver/testing/flags.ts"
import { runProgram } from "../program.ts"
import { freePort } from "./testing/port.ts"
import { Signals } from "./testing/signals.ts"

afterEach(() => vi.restoreAllMocks())

const labels = { app: "web" }
const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } }
const web: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: { selector: { matchLabels: labels }, template },
}

/** An API server without controllers, a directory with a kubeconfig of it, and what is said on both outputs. */
async function stage() {
  await using making = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), "pilothouse-run-"))
  making.defer(() => rmSync(folder, { recursive: true }))
  const seams = { clock: systemClock, random: systemRandom(), files: virtualFiles(systemClock), log: silentLog }
  const server = making.use(await startApiServer(defaults, seams))
  const kubeconfig = join(folder, "kubeconfig")
  writeFileSync(kubeconfig, JSON.stringify(server.kubeconfig))
  const connection = making.use(await defaultTransport({ kubeconfig, clock: systemClock }))
  const written: string[] = []
  for (const output of [process.stdout, process.stderr])
    vi.spyOn(output, "write").mockImplementation((text) => written.push(String(text)) > 0)
  const made = making.move()
  const said = () => written.join("")
  /** Of the API server's certificates. */
  const save = (name: string): string => {
    writeFileSync(join(folder, name), readText(seams.files, `${defaults.dataDir}/pki/${name}`)!)
    return join(folder, name)
  }
  return { folder, kubeconfig, client: createClient(connection.transport), said, save, [Symbol.asyncDispose]: () => made.disposeAsync() }
}

/** `pilothouse run` in this process; signals come to it alone. */
function run(...words: readonly string[]) {
  const signals = new Signals()
  const ended = runProgram(["run", ...words])
  return {
    hangUp: () => signals.send("SIGHUP"),
    async stop() {
      using _sent = signals
      signals.send("SIGTERM")
      return await ended
    },
  }
}

function health(port: number): Promise<number> {
  return new Promise((resolve) => {
    const asked = request({ host: "127.0.0.1", port, path: "/healthz", rejectUnauthorized: false, agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    asked.on("error", () => resolve(0))
    asked.end()
  })
}

function leadTo(port: number, kubeconfig: string): void {
  writeFileSync(kubeconfig, readFileSync(kubeconfig, "utf8").replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`))
}

/** Nothing listens there: a client reports that. */
function leadNowhere(kubeconfig: string): void {
  leadTo(1, kubeconfig)
}

/** Takes connections, and says nothing. */
async function silentServer(): Promise<AsyncDisposable & { readonly port: number }> {
  const open = new Set<Socket>()
  const server = createServer((socket) => void open.add(socket)).listen(0, "127.0.0.1")
  await once(server, "listening")
  const close = async () => {
    for (const socket of open) socket.destroy()
    server.close()
    await once(server, "close")
  }
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: close }
}

test.each(["root-ca-file", "service-account-private-key-file"])("a wrong --%s is named before the cluster is asked", async (flag) => {
  await using made = await stage()
  leadNowhere(made.kubeconfig)
  expect(await runProgram(["run", `--${flag}=/nowhere.pem`, "--kubeconfig", made.kubeconfig])).toBe(2)
  expect(made.said()).toBe(`pilothouse: expected a file at /nowhere.pem for --${flag}, found none; mend the path\n`)
})

test.each([
  [[], "everything goes on once it can, but a leader ends 10s after it last renewed its lease"],
  [["--leader-elect=false"], "everything goes on once it can error="],
])("%j: logs a server that is away with how long a leader can do without it", async (words, expected) => {
  await using made = await stage()
  leadNowhere(made.kubeconfig)
  const running = run("--kubeconfig", made.kubeconfig, "--secure-port=0", "--controllers=deployment", ...words)
  await expect.poll(made.said).toContain(expected)
  expect(await running.stop()).toBe(0)
})

test("a server that hangs kept the health port closed, so that a probe ended the program", async () => {
  await using made = await stage()
  await using silent = await silentServer()
  leadTo(silent.port, made.kubeconfig)
  const port = await freePort()
  const running = run(
    "--kubeconfig",
    made.kubeconfig,
    `--secure-port=${port}`,
    "--controllers=deployment",
    "--cert-dir",
    join(made.folder, "certs"),
  )
  await expect.poll(() => health(port)).toBe(200)
  expect(await running.stop()).toBe(0)
})

test("SIGHUP with a kubeconfig of another cluster did there what was seen in the first", async () => {
  await using made = await stage()
  await using other = await stage()
  const running = run("--kubeconfig", made.kubeconfig, "--secure-port=0", "--controllers=deployment")
  const held = (client: Client) =>
    client
      .list(leases, { namespace: "kube-system", fieldSelector: "metadata.name=kube-controller-manager" })
      .then(({ items }) => items.length)
  await expect.poll(() => held(made.client)).toBe(1)
  writeFileSync(made.kubeconfig, readFileSync(other.kubeconfig, "utf8"))
  running.hangUp()
  await expect.poll(other.said).toMatch(/the old one stays error="expected the cluster of \S+, found another cluster at /)
  await made.client.create(deployments, web)
  await expect.poll(async () => (await made.client.list(replicaSets)).items.length).toBe(1)
  expect(await running.stop()).toBe(0)
  expect(await held(other.client)).toBe(0)
})

test("by a file: the controllers of its choice work, health answers over TLS, explain finds the leader by its Lease, and SIGHUP reads the file again", async () => {
  await using made = await stage()
  const { folder, client, said } = made
  const port = await freePort()
  const file = join(folder, "run.yaml")
  const settings = `kubeconfig: ${made.kubeconfig}\ncontrollers: [deployment]\nsecure-port: ${port}\ncert-dir: ${join(folder, "certs")}\n`
  writeFileSync(file, settings)
  const running = run("--config", file)
  await expect.poll(() => health(port)).toBe(200)
  await client.create(deployments, web)
  await expect.poll(async () => (await client.list(replicaSets)).items.length).toBe(1)
  const lease = await client.get(leases, "kube-system/kube-controller-manager")
  expect(lease.metadata.annotations).toEqual({
    "pilothouse.dev/debug-address": `https://127.0.0.1:${port}`,
    "pilothouse.dev/debug-certificate-sha256": new X509Certificate(
      readFileSync(join(folder, "certs", "kube-controller-manager.crt")),
    ).fingerprint256
      .replaceAll(":", "")
      .toLowerCase(),
  })
  const metadata = { name: "pilothouse-viewer", namespace: "kube-system" }
  await client.create(serviceAccounts, { apiVersion: "v1", kind: "ServiceAccount", metadata })
  const rights = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "pilothouse:viewer" } } as const
  await client.create(clusterRoles, { ...rights, kind: "ClusterRole", rules: [{ verbs: ["get"], nonResourceURLs: ["/debug/trace"] }] })
  await client.create(clusterRoleBindings, {
    ...rights,
    kind: "ClusterRoleBinding",
    roleRef: { kind: "ClusterRole", name: "pilothouse:viewer" },
    subjects: [{ kind: "ServiceAccount", ...metadata }],
  })

  expect(await runProgram(["explain", "deployment/web", "--history", "--kubeconfig", made.kubeconfig])).toBe(0)
  expect(said()).toMatch(
    /What was done, and why\n {2}[\d:.]+ deployment-controller, because Deployment added\n {4}create ReplicaSet default\/web-/,
  )

  writeFileSync(file, `${settings}log-level: loud\n`)
  running.hangUp()
  await expect.poll(said).toContain('the configuration could not be read again; the old one stays error="--log-level: expected debug, info')
  writeFileSync(file, `${settings}log-level: debug\nleader-elect: false\n`)
  running.hangUp()
  await expect.poll(said).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}read again changed=log-level needsRestart=leader-elect$/m)
  expect(await health(port)).toBe(200)
  expect(await running.stop()).toBe(0)
  expect((await client.get(leases, "kube-system/kube-controller-manager")).spec?.holderIdentity).toBe("")
})

test("--dry-run prints plans and writes nothing, not even a Lease", async () => {
  await using made = await stage()
  const { client, said, kubeconfig } = made
  await client.create(deployments, web)
  const running = run(
    "--kubeconfig",
    kubeconfig,
    "--controllers",
    "deployment,selinux-warning-controller,-ttl",
    "--secure-port",
    "0",
    "--dry-run",
  )
  await expect.poll(said).toContain("would do this, but this is a dry run controller=deployment-controller key=default/web")
  expect(said()).toContain("create ReplicaSet default/web-")
  expect((await client.list(replicaSets)).items).toEqual([])
  expect((await client.list(leases, { namespace: "kube-system", fieldSelector: "metadata.name=kube-controller-manager" })).items).toEqual(
    [],
  )
  expect(await running.stop()).toBe(0)
})

test("kubeadm's command line for kube-controller-manager 1.36 starts the controllers unchanged", async () => {
  await using made = await stage()
  const { client, kubeconfig, save } = made
  const [ca, caKey, serviceAccountKey] = ["ca.crt", "ca.key", "sa.key"].map(save)
  const port = await freePort()
  const running = run(
    "--allocate-node-cidrs=true",
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    `--client-ca-file=${ca}`,
    "--cluster-cidr=10.244.0.0/16",
    "--cluster-name=kubernetes",
    `--cluster-signing-cert-file=${ca}`,
    `--cluster-signing-key-file=${caKey}`,
    "--controllers=*,bootstrapsigner,tokencleaner",
    `--kubeconfig=${kubeconfig}`,
    "--leader-elect=true",
    `--requestheader-client-ca-file=${ca}`,
    `--root-ca-file=${ca}`,
    `--service-account-private-key-file=${serviceAccountKey}`,
    "--service-cluster-ip-range=10.0.0.0/24",
    "--use-service-account-credentials=true",
    // kubeadm leaves the port at its default, and other tests take that too.
    `--secure-port=${port}`,
    `--cert-dir=${join(made.folder, "certs")}`,
  )
  await expect.poll(() => health(port)).toBe(200)
  await client.create(deployments, web)
  await expect.poll(async () => (await client.list(replicaSets)).items.length).toBe(1)
  expect(made.said()).not.toContain("is left out")
  expect(await running.stop()).toBe(0)
})
