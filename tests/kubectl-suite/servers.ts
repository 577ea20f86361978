// `pilothouse apiserver` and `pilothouse run` with the flags that upstream starts its own with: no kubelet, no scheduler.
import { spawnSync } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Child } from "../real/child.ts"
import { freePorts } from "../real/free-ports.ts"
import type { Scratch } from "./scratch.ts"

const main = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url))
const node = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning", main]
const disabled = [
  "ServiceAccount",
  "DefaultStorageClass",
  "DefaultTolerationSeconds",
  "MutatingAdmissionWebhook",
  "ValidatingAdmissionWebhook",
  "StorageObjectInUseProtection",
]

export interface Servers extends AsyncDisposable {
  readonly port: number
}

/** Both serve when it resolves. The certificate of the first is in the scratch folder's TMPDIR, where the suite looks for it. */
export async function startServers(scratch: Scratch): Promise<Servers> {
  await using starting = new AsyncDisposableStack()
  const [port = 0, managerPort = 0] = await freePorts(2)
  const run = (name: string, args: readonly string[]) => {
    const child = new Child({ name, program: process.execPath, args: [...node, ...args], directory: scratch.root })
    const kill = () => child.kill()
    process.once("exit", kill)
    starting.defer(() => child.stop())
    starting.defer(() => void process.removeListener("exit", kill))
    return child
  }
  const server = run("pilothouse apiserver", apiServerFlags(scratch, port))
  await answers(server, port)
  const manager = run("pilothouse run", managerFlags(scratch, port, managerPort))
  await answers(manager, managerPort)
  const running = starting.move()
  return { port, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

function apiServerFlags({ root, temporary }: Scratch, port: number): readonly string[] {
  const key = join(temporary, "service-account.key")
  if (!existsSync(key)) spawnSync("openssl", ["genrsa", "-out", key, "2048"])
  return [
    "apiserver",
    "--ephemeral",
    `--data-dir=${join(temporary, `data-${port}`)}`,
    `--secure-port=${port}`,
    "--authorization-mode=RBAC,AlwaysAllow",
    "--enable-admission-plugins=LimitRanger,ResourceQuota",
    `--disable-admission-plugins=${disabled.join(",")}`,
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--cert-dir=${temporary}`,
    "--service-cluster-ip-range=10.0.0.0/24",
    `--client-ca-file=${join(root, "hack/testdata/ca/ca.crt")}`,
    `--token-auth-file=${join(root, "hack/testdata/auth-tokens.csv")}`,
  ]
}

function managerFlags({ root, temporary }: Scratch, port: number, managerPort: number): readonly string[] {
  const kubeconfig = join(temporary, "manager.kubeconfig")
  const cluster = { server: `https://127.0.0.1:${port}`, "insecure-skip-tls-verify": true }
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "local", cluster }],
    users: [{ name: "manager", user: { token: "admin-token" } }],
    contexts: [{ name: "local", context: { cluster: "local", user: "manager" } }],
    "current-context": "local",
  }
  writeFileSync(kubeconfig, JSON.stringify(config))
  return [
    "run",
    `--kubeconfig=${kubeconfig}`,
    `--secure-port=${managerPort}`,
    `--cert-dir=${join(temporary, "manager")}`,
    `--cluster-signing-cert-file=${join(root, "hack/testdata/ca/ca.crt")}`,
    `--cluster-signing-key-file=${join(root, "hack/testdata/ca/ca.key")}`,
    "--node-startup-grace-period=1s",
  ]
}

async function answers(child: Child, port: number): Promise<void> {
  for (;;) {
    if (!child.running) throw new Error(`${child.name} ended while it started:\n${child.output}`)
    if (await isHealthy(port)) return
    await delay(50)
  }
}

function isHealthy(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request({ host: "127.0.0.1", port, path: "/healthz", rejectUnauthorized: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    sent.once("error", () => resolve(false)).end()
  })
}
