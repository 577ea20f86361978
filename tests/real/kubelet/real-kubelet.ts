import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { networkInterfaces } from "node:os"
import { join } from "node:path"
import { binary } from "../../../tools/components/index.ts"
import { Child } from "../child.ts"
import { freePorts } from "../free-ports.ts"
import { startContainerRuntime } from "./container-runtime.ts"

export const nodeName = "real-1"

/** A kubelet that runs on this machine. */
export interface RealKubelet extends AsyncDisposable {
  readonly child: Child
  readonly address: string
  readonly port: number
  /** Where it keeps the certificates that were signed for it. */
  readonly certificates: string
}

interface KubeletOptions {
  /** Of the cluster: https://… */
  readonly server: string
  /** PEM. */
  readonly ca: string
  /** A bootstrap token. */
  readonly token: string
  readonly directory: string
}

/** What a kubelet sets of the kernel; all of it is set back when it has ended. */
const kernelSettings = [
  "vm/overcommit_memory",
  "vm/panic_on_oom",
  "kernel/panic",
  "kernel/panic_on_oops",
  "kernel/keys/root_maxkeys",
  "kernel/keys/root_maxbytes",
]

/** A kubelet does not take a loopback address for its node. */
export function addressOfThisMachine(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.find(({ family, internal }) => family === "IPv4" && !internal)?.address
}

export async function startKubelet({ server, ca, token, directory }: KubeletOptions): Promise<RealKubelet> {
  await using starting = new AsyncDisposableStack()
  starting.defer(keepKernelSettings())
  const socket = join(directory, "cri.sock")
  starting.use(await startContainerRuntime(socket))
  const [port = 0, healthz = 0] = await freePorts(2)
  const certificates = join(directory, "pki")
  const manifests = join(directory, "manifests")
  mkdirSync(manifests)
  writeFileSync(join(manifests, "static.json"), JSON.stringify(staticPod))
  writeFileSync(join(directory, "ca.crt"), ca)
  writeFileSync(join(directory, "bootstrap.kubeconfig"), JSON.stringify(kubeconfigOf(server, ca, token)), { mode: 0o600 })
  writeFileSync(join(directory, "kubelet.json"), JSON.stringify(configurationOf({ directory, socket, port, healthz, manifests })))
  const address = addressOfThisMachine()!
  const child = new Child({ name: "kubelet", program: binary("kubelet", "kubelet")!, args: flags(directory, certificates, address) })
  const kill = () => child.kill()
  process.once("exit", kill)
  starting.defer(async () => {
    process.removeListener("exit", kill)
    await child.stop()
    unmount(directory)
  })
  const running = starting.move()
  return { child, address, port, certificates, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

function flags(directory: string, certificates: string, address: string): readonly string[] {
  return [
    `--bootstrap-kubeconfig=${join(directory, "bootstrap.kubeconfig")}`,
    `--kubeconfig=${join(directory, "kubelet.kubeconfig")}`,
    `--config=${join(directory, "kubelet.json")}`,
    `--cert-dir=${certificates}`,
    `--root-dir=${join(directory, "root")}`,
    `--hostname-override=${nodeName}`,
    `--node-ip=${address}`,
    "--node-labels=example.com/rack=a",
  ]
}

interface Places {
  readonly directory: string
  readonly socket: string
  readonly port: number
  readonly healthz: number
  readonly manifests: string
}

/** As kubeadm configures kubelets, but for cgroups and chains of iptables, which stay as they are on this machine. */
function configurationOf({ directory, socket, port, healthz, manifests }: Places): object {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: join(directory, "ca.crt") } },
    authorization: { mode: "Webhook" },
    rotateCertificates: true,
    serverTLSBootstrap: true,
    containerRuntimeEndpoint: `unix://${socket}`,
    port,
    healthzPort: healthz,
    staticPodPath: manifests,
    podLogsDir: join(directory, "logs"),
    volumePluginDir: join(directory, "volume-plugins"),
    fileCheckFrequency: "1s",
    nodeStatusUpdateFrequency: "2s",
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    failCgroupV1: false,
    failSwapOn: false,
    makeIPTablesUtilChains: false,
    localStorageCapacityIsolation: false,
  }
}

const staticPod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "static", namespace: "default" },
  spec: { containers: [{ name: "app", image: "example/app:1" }] },
}

function kubeconfigOf(server: string, ca: string, token: string): object {
  const cluster = { server, "certificate-authority-data": Buffer.from(ca).toString("base64") }
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "up", cluster }],
    users: [{ name: "bootstrap", user: { token } }],
    contexts: [{ name: "up", context: { cluster: "up", user: "bootstrap" } }],
    "current-context": "up",
  }
}

/** A kubelet mounts its own directory and the tokens of pods, and leaves them mounted. */
function unmount(directory: string): void {
  const lines = readFileSync("/proc/self/mounts", "utf8").split("\n")
  const mounted = lines.map((line) => line.split(" ")[1] ?? "").filter((path) => path.startsWith(directory))
  for (const path of mounted.toReversed()) spawnSync("umount", [path])
}

function keepKernelSettings(): () => void {
  const path = (name: string) => join("/proc/sys", name)
  const values = kernelSettings.map((name) => [name, readFileSync(path(name), "utf8")] as const)
  return () => {
    for (const [name, value] of values) if (readFileSync(path(name), "utf8") !== value) writeFileSync(path(name), value)
  }
}
