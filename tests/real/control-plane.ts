// A real etcd and kube-apiserver on the loopback, in a folder of their own; other components of the control plane join when asked for.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { ensureCertificates } from "@pilothouse/apiserver"
import { systemClock, systemFiles, systemRandom } from "@pilothouse/seams/system"
import { binary } from "../../tools/components/index.ts"
import { ApiClient } from "./api-client.ts"
import { Child } from "./child.ts"
import { apiServerFlags, controllerManagerFlags, etcdFlags, schedulerFlags } from "./flags.ts"
import { freePorts } from "./free-ports.ts"
import { kubeconfigFor, tokenFile, type UserName, users } from "./users.ts"

const serviceIp = "10.0.0.1"
const readyMilliseconds = 90_000

export interface ControlPlaneOptions {
  /** After ours, so that they win: `["--feature-gates=X=true"]`. */
  readonly apiServerFlags?: readonly string[]
  /** A file for --authorization-config, in place of the mode RBAC. */
  readonly authorizationConfig?: string
}

/**
 * Runs from `startControlPlane` until `close`. Between calls: every process in `#children` was started here, and `close` ends them in the
 * opposite order: an API server that outlives its etcd takes more than 30 seconds to stop.
 */
export class ControlPlane {
  readonly client: ApiClient
  /** https://127.0.0.1:port */
  readonly url: string
  readonly directory: string
  readonly ca: string
  readonly #children: Child[]
  readonly #onExit = () => this.#kill()

  constructor(parts: { client: ApiClient; url: string; directory: string; ca: string; children: Child[] }) {
    this.client = parts.client
    this.url = parts.url
    this.directory = parts.directory
    this.ca = parts.ca
    this.#children = parts.children
    process.once("exit", this.#onExit)
  }

  /** Of every component that was started. */
  get pids(): readonly number[] {
    return this.#children.map(({ pid }) => pid)
  }

  /** A kubeconfig file of one of the users in the token file. */
  kubeconfig(user: UserName): string {
    const path = join(this.directory, `${user}.kubeconfig`)
    writeFileSync(path, kubeconfigFor(user, this.url, this.ca), { mode: 0o600 })
    return path
  }

  /** Until /readyz says ok; throws with the last words of a component that ended instead. */
  async ready(): Promise<void> {
    const deadline = performance.now() + readyMilliseconds
    while (performance.now() < deadline) {
      const dead = this.#children.find((child) => !child.running)
      if (dead !== undefined) throw new Error(`${dead.name} ended while it started:\n${dead.output}`)
      if (await this.#isReady()) return
      await delay(50)
    }
    throw new Error(`kube-apiserver was not ready after ${readyMilliseconds / 1000} s:\n${this.#children.at(-1)?.output}`)
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await this.client.send({ verb: "GET", path: "/readyz" })).status === 200
    } catch {
      // Nothing listens yet.
      return false
    }
  }

  async startControllerManager(flags: readonly string[] = []): Promise<Child> {
    const [port = 0] = await freePorts(1)
    const kubeconfig = this.kubeconfig("controllerManager")
    return this.#start("kube-controller-manager", [...controllerManagerFlags({ port, kubeconfig, directory: this.directory }), ...flags])
  }

  async startScheduler(flags: readonly string[] = []): Promise<Child> {
    const [port = 0] = await freePorts(1)
    return this.#start("kube-scheduler", [...schedulerFlags({ port, kubeconfig: this.kubeconfig("scheduler") }), ...flags])
  }

  #start(name: string, args: readonly string[]): Child {
    const child = new Child({ name, program: programOf(name), args })
    this.#children.push(child)
    return child
  }

  async close(): Promise<void> {
    this.client.close()
    for (const child of this.#children.toReversed()) await child.stop()
    process.removeListener("exit", this.#onExit)
    rmSync(this.directory, { recursive: true, force: true })
  }

  /** When our own process ends first: nothing is left to await a graceful stop. */
  #kill(): void {
    for (const child of this.#children) child.kill()
    rmSync(this.directory, { recursive: true, force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

/** What programs beside an API server need of it, be it the real one or ours. */
export type Plane = Pick<ControlPlane, "client" | "directory" | "kubeconfig">

/** Ready to serve when it resolves; nothing is left behind when it rejects. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-real-"))
  let plane: ControlPlane | undefined
  try {
    plane = await launch(directory, options)
    await plane.ready()
    return plane
  } catch (error) {
    await plane?.close()
    rmSync(directory, { recursive: true, force: true })
    throw error
  }
}

async function launch(directory: string, options: ControlPlaneOptions): Promise<ControlPlane> {
  const certificates = await ensureCertificates({ files: systemFiles, clock: systemClock, random: systemRandom(), directory, serviceIp })
  writeFileSync(join(directory, "tokens.csv"), tokenFile(), { mode: 0o600 })
  const [client = 0, peer = 0, port = 0] = await freePorts(3)
  const ca = certificates.ca.certificate
  const etcd = etcdFlags({ client, peer, directory: join(directory, "etcd") })
  const authorization = options.authorizationConfig && `--authorization-config=${options.authorizationConfig}`
  const apiServer = [...apiServerFlags({ port, etcd: client, directory, authorization }), ...(options.apiServerFlags ?? [])]
  return new ControlPlane({
    client: new ApiClient({ port, ca, token: users.admin.token }),
    url: `https://127.0.0.1:${port}`,
    directory,
    ca,
    children: [
      new Child({ name: "etcd", program: programOf("etcd"), args: etcd }),
      new Child({ name: "kube-apiserver", program: programOf("kube-apiserver"), args: apiServer }),
    ],
  })
}

function programOf(name: string): string {
  const path = binary("kubernetes", name)
  if (path === undefined) throw new Error(`${name} is not cached: npm run components -- kubernetes builds it`)
  return path
}
